//go:build !js

package e2e

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// A log of LevelDB, in which the browser keeps IndexedDB and localStorage, is made of
// blocks, and a record that is longer than what is left of one goes on in the next, with
// a header in between (leveldb doc/log_format.md). What is looked for may be there.
const (
	logBlock  = 32 << 10
	logHeader = 7 // checksum 4, length 2, type 1
)

// wholeRecords returns what the records of a log hold, one after the other. What is no
// such log, or ends in the middle of a record, is returned as it is from there on.
func wholeRecords(path string, content []byte) []byte {
	if !strings.HasSuffix(path, ".log") || !strings.Contains(path, "leveldb") &&
		!strings.Contains(path, "Storage") {
		return content
	}
	var all []byte
	for block := range slices.Chunk(content, logBlock) {
		for len(block) >= logHeader {
			n := int(binary.LittleEndian.Uint16(block[4:6]))
			if kind := block[6]; kind == 0 && n == 0 || kind > 4 || logHeader+n > len(block) {
				all = append(all, block...) // room that was kept, or a record that is being written
				block = nil
				break
			}
			all = append(all, block[logHeader:logHeader+n]...)
			block = block[logHeader+n:]
		}
	}
	return all
}

func TestWholeRecords(t *testing.T) {
	record := func(kind byte, data string) string {
		return "crc!" + string([]byte{byte(len(data)), byte(len(data) >> 8), kind}) + data
	}
	first := strings.Repeat("a", logBlock-2*logHeader-6)
	log := record(1, first) + record(2, "secret") + record(4, "-17 and on") + record(1, "b")
	if len(record(1, first)+record(2, "secret")) != logBlock {
		t.Fatal("the record does not cross the end of a block")
	}
	if got := wholeRecords("/IndexedDB/x.leveldb/000003.log", []byte(log)); string(got) != first+
		"secret-17 and onb" {
		t.Errorf("got %d bytes: ...%s", len(got), got[len(got)-40:])
	}
	if got := wholeRecords("/IndexedDB/x.leveldb/000003.log", []byte(log[:len(log)-1])); !strings.Contains(
		string(got), "secret-17 and on") {
		t.Error("the end of a log that is being written hides what was before")
	}
	if got := wholeRecords("/Cookies", []byte(log)); string(got) != log {
		t.Error("another file is changed")
	}
}
