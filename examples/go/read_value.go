// Reads a value that Sheaf stored: go run . [dictionary...] < stored > value.
// See docs/wire-format.md. A dictionary is a file with a field of the hash sheaf:{dictionaries}.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"os"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

const limit = 64 << 20

var (
	magic      = []byte{0xF5, 0xFE, 0xFF, 'S', 'H', 'F'}
	frameMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// Dictionaries has those in Zstandard's own format by their identifiers.
type Dictionaries map[uint32][]byte

// Add checks a dictionary as it is stored, and keeps it.
func (d Dictionaries) Add(stored []byte) error {
	if len(stored) < 10 || string(stored[:4]) != "SHFD" ||
		crc32.Checksum(stored[8:], castagnoli) != binary.BigEndian.Uint32(stored[4:]) {
		return errors.New("LOST_DICTIONARY: these bytes are none, or are damaged")
	}
	head := 10 + int(binary.BigEndian.Uint16(stored[8:]))
	if len(stored) < head+256 {
		return errors.New("LOST_DICTIONARY: it is cut")
	}
	content := stored[head:]
	id := binary.LittleEndian.Uint32(content[4:])
	sum := sha256.Sum256(content[8:])
	if uint64(id) != 65536+binary.BigEndian.Uint64(sum[:])%(1<<31-65536) {
		return errors.New("LOST_DICTIONARY: its identifier is not that of its content")
	}
	d[id] = content
	return nil
}

// looksLikeEnvelope says whether a value is one, whole or damaged.
func looksLikeEnvelope(stored []byte) bool {
	if len(stored) < len(magic) {
		return len(stored) >= 3 && bytes.HasPrefix(magic, stored)
	}
	wrong := 0
	for i, b := range magic {
		wrong += bits.OnesCount8(b ^ stored[i])
	}
	return wrong <= 2
}

// Read makes a value of what is stored of it.
func Read(stored []byte, dictionaries Dictionaries) ([]byte, error) {
	if !looksLikeEnvelope(stored) {
		return stored, nil
	}
	if len(stored) > 6 && bytes.HasPrefix(stored, magic) && stored[6] == 2 {
		return readWithDictionary(stored, dictionaries)
	}
	if len(stored) < 16 {
		return nil, errors.New("TRUNCATED")
	}
	if !bytes.HasPrefix(stored, magic) {
		return nil, errors.New("DAMAGED_MAGIC")
	}
	if stored[6] != 1 {
		return nil, errors.New("UNKNOWN_VERSION")
	}
	length, payload := uint64(binary.BigEndian.Uint32(stored[8:])), stored[16:]
	expansion := map[byte]uint64{0: 1, 1: 22, 3: 32768}[stored[7]]
	if expansion == 0 { // 2 is a block of LZ4
		return nil, errors.New("UNKNOWN_ALGORITHM")
	}
	if length > uint64(len(payload))*expansion || length > limit {
		return nil, errors.New("IMPOSSIBLE_LENGTH")
	}
	checksum := crc32.Update(crc32.Checksum(stored[6:12], castagnoli), castagnoli, payload)
	if checksum != binary.BigEndian.Uint32(stored[12:]) {
		return nil, errors.New("CHECKSUM")
	}
	value, err := payload, error(nil)
	switch stored[7] {
	case 1:
		value, err = snappy.Decode(nil, payload)
	case 3:
		value, err = decompress(payload)
	}
	if err != nil || uint64(len(value)) != length {
		return nil, fmt.Errorf("CORRUPT: %v", err)
	}
	return value, nil
}

func readWithDictionary(stored []byte, dictionaries Dictionaries) ([]byte, error) {
	var header zstd.Header
	frame := append(bytes.Clone(frameMagic), stored[7:]...)
	if err := header.Decode(frame); err != nil || len(stored) < 14 {
		return nil, errors.New("TRUNCATED")
	}
	if stored[7]&0x3F != 0x27 {
		return nil, errors.New("CORRUPT: the frame is of another kind")
	}
	if header.FrameContentSize > uint64(len(stored))*32768 || header.FrameContentSize > limit {
		return nil, errors.New("IMPOSSIBLE_LENGTH")
	}
	dictionary, known := dictionaries[header.DictionaryID]
	if !known {
		return nil, fmt.Errorf("LOST_DICTIONARY: HGET sheaf:{dictionaries} %08x", header.DictionaryID)
	}
	return decompress(frame, zstd.WithDecoderDicts(dictionary))
}

func decompress(frame []byte, options ...zstd.DOption) ([]byte, error) {
	reader, err := zstd.NewReader(nil, append(options, zstd.WithDecoderMaxMemory(limit))...)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return reader.DecodeAll(frame, nil)
}

func main() {
	dictionaries := Dictionaries{}
	stored, err := io.ReadAll(os.Stdin)
	for _, name := range os.Args[1:] {
		if file, failure := os.ReadFile(name); failure != nil {
			err = errors.Join(err, failure)
		} else {
			err = errors.Join(err, dictionaries.Add(file))
		}
	}
	if value, failure := Read(stored, dictionaries); err == nil && failure == nil {
		os.Stdout.Write(value)
		return
	} else {
		fmt.Fprintln(os.Stderr, errors.Join(err, failure))
	}
	os.Exit(1)
}
