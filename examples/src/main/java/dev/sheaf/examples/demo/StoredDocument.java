package dev.sheaf.examples.demo;

import java.nio.charset.StandardCharsets;

/**
 * A record of the data set: its key and its JSON.
 *
 * @param bytes the length of the JSON in UTF-8
 */
record StoredDocument(String key, String json, int bytes) {

  StoredDocument(String key, String json) {
    this(key, json, json.getBytes(StandardCharsets.UTF_8).length);
  }
}
