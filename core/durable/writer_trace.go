package durable

// After names what goes on once the commit of a ticket is stored, for traces; a Waiter
// says it with a method After. A page asks for no traces, and its linker leaves out all
// that names something for them.
func (w *Writer) After(ticket uint32) []string {
	var names []string
	for _, one := range w.waiters {
		if named, ok := one.next.(interface{ After() string }); ok && one.ticket == ticket {
			names = append(names, named.After())
		}
	}
	return names
}
