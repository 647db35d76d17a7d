package dev.sheaf.compression;

/** Marks the output of a command that wants what is stored, not what it stands for. */
interface StoredOutput {}
