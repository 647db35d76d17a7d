// Reads a value that Sheaf stored: node read_value.ts [dictionary...] < stored > value. Node 24.6 or
// later, no packages. See docs/wire-format.md. A dictionary is a file with a field of the hash
// sheaf:{dictionaries}.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";

const MAGIC = Buffer.from([0xf5, 0xfe, 0xff, 0x53, 0x48, 0x46]);
const FRAME_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const LIMIT = 64 << 20;

/** Dictionaries in Zstandard's own format by their identifiers. */
export type Dictionaries = Map<number, Buffer>;

function crc32c(...parts: Buffer[]): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.concat(parts)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    }
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Checks a dictionary as it is stored, and keeps it. */
export function add(stored: Buffer, dictionaries: Dictionaries): void {
  if (
    stored.length < 10 ||
    stored.toString("latin1", 0, 4) !== "SHFD" ||
    crc32c(stored.subarray(8)) !== stored.readUInt32BE(4)
  ) {
    throw new Error("LOST_DICTIONARY: these bytes are none, or are damaged");
  }
  const content = stored.subarray(10 + stored.readUInt16BE(8));
  const id = content.readUInt32LE(4);
  const digest = createHash("sha256").update(content.subarray(8)).digest();
  if (BigInt(id) !== 65536n + (digest.readBigUInt64BE(0) % 2147418112n)) {
    throw new Error("LOST_DICTIONARY: its identifier is not that of its content");
  }
  dictionaries.set(id, content);
}

/** Whether a value is an envelope, whole or damaged. */
function looksLikeEnvelope(stored: Buffer): boolean {
  if (stored.length < MAGIC.length) {
    return stored.length >= 3 && MAGIC.subarray(0, stored.length).equals(stored);
  }
  let wrong = 0;
  MAGIC.forEach((byte, i) => {
    for (let bits = byte ^ stored[i]; bits > 0; bits >>= 1) wrong += bits & 1;
  });
  return wrong <= 2;
}

function snappy(data: Buffer, length: number): Buffer {
  const out = Buffer.alloc(length);
  let to = 0;
  let pos = 0;
  while (data[pos++] & 0x80); // the length, which the header says too
  while (pos < data.length) {
    const tag = data[pos++];
    const kind = tag & 3;
    let size = (tag >> 2) + 1;
    if (kind === 0) {
      if (size > 60) {
        const extra = size - 60;
        size = data.readUIntLE(pos, extra) + 1;
        pos += extra;
      }
      if (to + size > length || pos + size > data.length) throw new Error("CORRUPT");
      to += data.copy(out, to, pos, pos + size);
      pos += size;
      continue;
    }
    let offset: number;
    if (kind === 1) {
      size = ((tag >> 2) & 7) + 4;
      offset = ((tag >> 5) << 8) | data[pos++];
    } else {
      const width = kind === 2 ? 2 : 4;
      offset = data.readUIntLE(pos, width);
      pos += width;
    }
    if (offset < 1 || offset > to || to + size > length) throw new Error("CORRUPT");
    for (; size > 0; size--, to++) out[to] = out[to - offset];
  }
  if (to !== length) throw new Error("CORRUPT");
  return out;
}

function readWithDictionary(stored: Buffer, dictionaries: Dictionaries): Buffer {
  if (stored.length < 14) throw new Error("TRUNCATED");
  const kind = [0x27, 0x67, 0xa7].indexOf(stored[7]);
  if (kind < 0) throw new Error("CORRUPT: the frame is of another kind");
  if (stored.length < 12 + (1 << kind)) throw new Error("TRUNCATED");
  const length = stored.readUIntLE(12, 1 << kind) + (kind === 1 ? 256 : 0);
  if (length > (stored.length - 7) * 32768 || length > LIMIT) throw new Error("IMPOSSIBLE_LENGTH");
  const id = stored.readUInt32LE(8);
  const dictionary = dictionaries.get(id);
  if (dictionary === undefined) {
    const name = id.toString(16).padStart(8, "0");
    throw new Error(`LOST_DICTIONARY: HGET sheaf:{dictionaries} ${name}`);
  }
  const frame = Buffer.concat([FRAME_MAGIC, stored.subarray(7)]);
  const value = zstdDecompressSync(frame, { dictionary, maxOutputLength: LIMIT });
  if (value.length !== length) throw new Error("CORRUPT");
  return value;
}

/** Makes a value of what is stored of it. */
export function read(stored: Buffer, dictionaries: Dictionaries): Buffer {
  if (!looksLikeEnvelope(stored)) return stored;
  const exact = MAGIC.equals(stored.subarray(0, 6));
  if (exact && stored[6] === 2) return readWithDictionary(stored, dictionaries);
  if (stored.length < 16) throw new Error("TRUNCATED");
  if (!exact) throw new Error("DAMAGED_MAGIC");
  if (stored[6] !== 1) throw new Error("UNKNOWN_VERSION");
  const algorithm = stored[7];
  const length = stored.readUInt32BE(8);
  const payload = stored.subarray(16);
  const expansion = [1, 22, 0, 32768][algorithm]; // 2 is a block of LZ4
  if (!expansion) throw new Error("UNKNOWN_ALGORITHM");
  if (length > payload.length * expansion || length > LIMIT) throw new Error("IMPOSSIBLE_LENGTH");
  if (crc32c(stored.subarray(6, 12), payload) !== stored.readUInt32BE(12)) {
    throw new Error("CHECKSUM");
  }
  const value =
    algorithm === 0 ? payload : algorithm === 1 ? snappy(payload, length) : zstdDecompressSync(payload);
  if (value.length !== length) throw new Error("CORRUPT");
  return value;
}

const dictionaries: Dictionaries = new Map();
process.argv.slice(2).forEach((name) => add(readFileSync(name), dictionaries));
process.stdout.write(read(readFileSync(0), dictionaries));
