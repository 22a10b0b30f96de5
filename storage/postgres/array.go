package postgres

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"sluice/storage/sqlstore"
)

// elements says how a type of column is named in SQL, and its number in the wire format.
var elements = map[sqlstore.Type]struct {
	name string
	oid  uint32
}{
	sqlstore.Text:     {"text", 25},
	sqlstore.NullText: {"text", 25},
	sqlstore.Int:      {"bigint", 20},
	sqlstore.Bool:     {"boolean", 16},
	sqlstore.Bytes:    {"bytea", 17},
	sqlstore.Time:     {"timestamptz", 1184},
}

// array writes one column of a part's rows in Postgres's binary form of an array, which costs neither quoting nor hexadecimal digits.
// The driver sends bytes as they are.
func array(of sqlstore.Type, rows [][]any, column int) ([]byte, error) {
	size := 0
	for _, row := range rows {
		size += 12 + length(row[column])
	}
	b := header(of, len(rows), size)
	for _, row := range rows {
		var err error
		if b, err = appendElement(b, of, row[column]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// header begins an array of so many elements that take so many bytes.
func header(of sqlstore.Type, elems, size int) []byte {
	const oneDimension, mayHoldNull, firstIndex, headerSize = 1, 1, 1, 20
	b := binary.BigEndian.AppendUint32(make([]byte, 0, headerSize+size), oneDimension)
	b = binary.BigEndian.AppendUint32(b, mayHoldNull)
	b = binary.BigEndian.AppendUint32(b, elements[of].oid)
	b = binary.BigEndian.AppendUint32(b, uint32(elems))
	return binary.BigEndian.AppendUint32(b, firstIndex)
}

// numbers writes an array of numbers.
func numbers(list []int) []byte {
	b := header(sqlstore.Int, len(list), 12*len(list))
	for _, n := range list {
		b = appendInt(b, int64(n))
	}
	return b
}

// length is the size of a value that has no fixed one.
func length(value any) int {
	switch v := value.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	}
	return 0
}

// appendElement appends the length of a value and the value; the length -1 means NULL.
func appendElement(b []byte, of sqlstore.Type, value any) ([]byte, error) {
	if isNull(of, value) {
		return binary.BigEndian.AppendUint32(b, 1<<32-1), nil
	}
	switch v := value.(type) {
	case string:
		v = text(v)
		return append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...), nil
	case []byte:
		return append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...), nil
	case int:
		return appendInt(b, int64(v)), nil
	case int64:
		return appendInt(b, v), nil
	case bool:
		bit := byte(0)
		if v {
			bit = 1
		}
		return append(binary.BigEndian.AppendUint32(b, 1), bit), nil
	case time.Time:
		return appendInt(b, v.UnixMicro()-epoch), nil
	}
	return nil, fmt.Errorf("a value of type %T cannot be stored", value)
}

// single writes one value in Postgres's binary form; nil means NULL.
func single(of sqlstore.Type, value any) (any, error) {
	const prefix = 4 // the length, which an element of an array has and a parameter has not
	if isNull(of, value) {
		return nil, nil
	}
	b, err := appendElement(make([]byte, 0, prefix+8+length(value)), of, value)
	if err != nil {
		return nil, err
	}
	return b[prefix:], nil
}

// epoch is when Postgres's time begins: the year 2000, in microseconds since 1970.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func appendInt(b []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 8), uint64(v))
}

func isNull(of sqlstore.Type, value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == "" && of == sqlstore.NullText
	case []byte:
		return v == nil
	case time.Time:
		return v.IsZero()
	}
	return false
}

// text replaces what Postgres refuses to keep in a text: a zero byte, and bytes that are no UTF-8. A transition must not fail for ever
// because a title was cut in the middle of a signal.
func text(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
