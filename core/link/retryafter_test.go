package link

import "testing"

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]int64{
		"": 0, "0": 0, "1": 1_000, "120": 120_000, "3600": 3_600_000, "3601": 3_600_000, "65536": 3_600_000,
		"1000000000": 3_600_000,
		"4294967295": 3_600_000, "4294967296": 3_600_000, "99999999999999999999": 3_600_000,
		"-1": 0, "+1": 0, "1.5": 0, " 1": 0, "0x10": 0, "Wed, 21 Oct 2026 07:28:00 GMT": 0,
	} {
		if got := RetryAfter(value); got != want {
			t.Errorf("%q: %d, want %d", value, got, want)
		}
	}
}
