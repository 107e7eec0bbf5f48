package durable

// State is what the store of a client is good for, as far as its page knows.
type State uint8

// The states of a store.
const (
	StoreAway   State = iota // there is none, or it has failed: records are in memory
	StoreOpen                // what is written gets stored
	StoreClosed              // what it held was deleted, by a logout or by the user: for good
)

// change is what happens to a store.
type change uint8

const (
	storeFails   change = iota // a commit failed, hung or found no room; or another build has the database
	storeDeleted               // everything was deleted (ReasonClosed)
	storeReturns               // what had been given up is stored after all
)

// states says which state a store is in after what.
var states = [...][storeReturns + 1]State{
	StoreAway:   {storeFails: StoreAway, storeDeleted: StoreClosed, storeReturns: StoreOpen},
	StoreOpen:   {storeFails: StoreAway, storeDeleted: StoreClosed, storeReturns: StoreOpen},
	StoreClosed: {storeFails: StoreClosed, storeDeleted: StoreClosed, storeReturns: StoreClosed},
}

func changeOf(why Reason) change {
	if why == ReasonClosed {
		return storeDeleted
	}
	return storeFails
}

// Owner is the client whose records a Writer stores: what it does as the state of its
// store changes.
type Owner interface {
	// InMemory has all records go on in memory, and tells the app why.
	InMemory(why Reason)
	// WriteAgain stores the records that are in memory, as they are now.
	WriteAgain()
}
