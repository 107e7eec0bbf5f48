package jsonrpc_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

func TestString(t *testing.T) {
	for value, want := range map[string]string{
		`""`:                       "",
		`"abc"`:                    "abc",
		`"\"\\\/\b\f\n\r\t"`:       "\"\\/\b\f\n\r\t",
		`"\u0000\u00e9"`:           "\x00é",
		`"\ud83d\ude39"`:           "😹",
		`"\ud83d"`:                 "\ufffd",
		`"\ud83d\ud83d\ude39"`:     "\ufffd😹",
		`"\ude39\ud83d"`:           "\ufffd\ufffd",
		`"\ud83dx"`:                "\ufffdx",
		`"\ud83d\n"`:               "\ufffd\n",
		`"\ud83d\u0041"`:           "\ufffdA",
		`"断线"`:                     "断线",
		`"a\\u0041"`:               `a\u0041`,
		`"12345678\t12345678\u41"`: "not a string",
	} {
		got, ok := jsonrpc.String([]byte(value))
		if want == "not a string" {
			if ok {
				t.Errorf("String(%s) = %q", value, got)
			}
			continue
		}
		if !ok || got != want {
			t.Errorf("String(%s) = %q, %v", value, got, ok)
		}
	}
	for _, value := range []string{``, `"`, `"a`, `a"`, `a`, `1`, `null`, `{}`, ` "a"`, `"a" `, `"a"b"`,
		`"\"`, `"\u12"`, "\"\n\"", "\"\xff\""} {
		if got, ok := jsonrpc.String([]byte(value)); ok {
			t.Errorf("String(%q) = %q", value, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		value       string
		uint        uint64
		int         int64
		float       float64
		isUint      bool
		isInt, isFl bool
	}{
		{value: `0`, isUint: true, isInt: true, isFl: true},
		{value: `-0`, isInt: true, isFl: true},
		{value: `7`, uint: 7, int: 7, float: 7, isUint: true, isInt: true, isFl: true},
		{value: `-32601`, int: -32601, float: -32601, isInt: true, isFl: true},
		{value: `9007199254740991`, uint: 1<<53 - 1, int: 1<<53 - 1, float: 1<<53 - 1, isUint: true,
			isInt: true, isFl: true},
		{value: `-9007199254740991`, int: -(1<<53 - 1), float: -(1<<53 - 1), isInt: true, isFl: true},
		{value: `9007199254740992`, float: 1 << 53, isFl: true},
		{value: `-9007199254740992`, float: -(1 << 53), isFl: true},
		{value: `18446744073709551617`, float: 18446744073709551617, isFl: true},
		{value: `60000.0`, float: 60000, isFl: true},
		{value: `6e4`, float: 60000, isFl: true},
		{value: `-1.5E-1`, float: -0.15, isFl: true},
		{value: `1e400`}, {value: ``}, {value: `-`}, {value: `--1`}, {value: `01`}, {value: `+1`},
		{value: ` 1`}, {value: `1 `}, {value: `1.`},
		{value: `"1"`}, {value: `null`}, {value: `0x10`}, {value: `1_0`}, {value: `inf`}, {value: `NaN`},
		{value: `١`},
	} {
		if n, ok := jsonrpc.Uint([]byte(c.value)); ok != c.isUint || ok && n != c.uint {
			t.Errorf("Uint(%s) = %d, %v", c.value, n, ok)
		}
		if n, ok := jsonrpc.Int([]byte(c.value)); ok != c.isInt || ok && n != c.int {
			t.Errorf("Int(%s) = %d, %v", c.value, n, ok)
		}
		if f, ok := jsonrpc.Float([]byte(c.value)); ok != c.isFl || ok && f != c.float {
			t.Errorf("Float(%s) = %v, %v", c.value, f, ok)
		}
	}
}

// TestFloatNearParseFloat: what Float rounds once too often is less than a duration shows.
func TestFloatNearParseFloat(t *testing.T) {
	const seed = 20261123
	random := rand.New(rand.NewPCG(seed, 0))
	for range 100_000 {
		value := strconv.FormatFloat(math.Float64frombits(random.Uint64()), "efg"[random.IntN(3)],
			random.IntN(22), 64)
		want, err := strconv.ParseFloat(value, 64)
		got, ok := jsonrpc.Float([]byte(value))
		if math.IsNaN(want) || math.IsInf(want, 0) || strings.Contains(value, "Inf") {
			if ok && err == nil {
				t.Fatalf("seed %d: Float(%s) = %v", seed, value, got)
			}
			continue
		}
		// at the ends a step may leave the floats
		if math.Abs(want) > 1e300 || want != 0 && math.Abs(want) < 1e-280 {
			continue
		}
		if !ok || math.Abs(got-want) > 1e-14*math.Abs(want) {
			t.Fatalf("seed %d: Float(%s) = %v, %v, want %v", seed, value, got, ok, want)
		}
	}
}

func TestAppendString(t *testing.T) {
	for s, want := range map[string]string{
		"":                            `""`,
		"plain / text é 断 😹 \x7f":     "\"plain / text é 断 😹 \x7f\"",
		"\"\\\b\f\n\r\t":              `"\"\\\b\f\n\r\t"`,
		"\x00\x01\x1f":                `"\u0000\u0001\u001f"`,
		"a\u2028b\u2029":              `"a\u2028b\u2029"`,
		"a\xffb\xe6\x97c\xed\xa0\x80": "\"a\ufffdb\ufffd\ufffdc\ufffd\ufffd\ufffd\"",
		"\ufffd":                      "\"\ufffd\"",
	} {
		if got := jsonrpc.AppendString([]byte("x"), s); string(got) != "x"+want {
			t.Errorf("AppendString(%q) = %s", s, got)
		}
	}
}

func TestIsObject(t *testing.T) {
	for value, want := range map[string]bool{`{}`: true, " \n{": true, `[]`: false, `"{"`: false, ``: false,
		` `: false, `null`: false} {
		if jsonrpc.IsObject([]byte(value)) != want {
			t.Errorf("IsObject(%q) = %v", value, !want)
		}
	}
}

// IsString agrees with String, whatever is asked for.
func TestIsString(t *testing.T) {
	texts := []string{"", "a", "abc", "a\"b", "é", "\\", `a\"b`}
	for _, value := range []string{`""`, `"a"`, `"abc"`, `"a\"b"`, `"\u0061bc"`, `"\u00e9"`, `"é"`, `"\\"`,
		`"a`, `a"`, `"a" `, `1`, ``, `"a"b"`, "\"\x01\""} {
		decoded, ok := jsonrpc.String([]byte(value))
		for _, text := range texts {
			if got, want := jsonrpc.IsString([]byte(value), text), ok && decoded == text; got != want {
				t.Errorf("IsString(%s, %q) is %v", value, text, got)
			}
		}
	}
}
