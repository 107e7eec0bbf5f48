package journal

import "strconv"

// Fold folds a call's log as it was read, after its head. It fails where a row cannot
// be read, or is missing between others, which would be a silent hole. Of such a call
// nothing is taken: what a page cannot read as a whole it does not own (RELIABILITY
// fault 135). AckRows are passed over (TakeAcks).
func Fold(h Head, size int, log []Op) (*Record, error) {
	r := NewRecord(h, size)
	var last Op
	for _, op := range log {
		if op.IsAck() {
			continue
		}
		if op.Epoch == last.Epoch && op.N != last.N+1 || op.Epoch != last.Epoch && op.N != 1 {
			return nil, ErrCorrupt
		}
		if err := r.Apply(op.Plain, op.Secret, nil); err != nil {
			return nil, err
		}
		last = op
	}
	return r, nil
}

// AppendQuarantined writes which record cannot be read, as EventQuarantined has it:
// {"record":1}.
func AppendQuarantined(b []byte, record uint64) []byte {
	b = strconv.AppendUint(append(b, `{"record":`...), record, 10)
	return append(b, '}')
}
