// Package tabs decides who carries a call. The pages and workers of one server and
// user, its tabs, share one store. One tab carries a call: it speaks with the server
// and writes the call's rows. The others follow: they hear of what it has stored, and
// one of them takes the call over when it ends. The package knows no protocol: what a
// row says is the client's (mcp, acp), and here a session with an agent is a call too.
//
// # Fencing
//
// Every takeover gives the call the next epoch, in one transaction that names the epoch
// before: of two tabs that try, one gets it. The last row of each epoch before is
// sealed in that transaction. A tab that lost a call and does not know still writes
// rows of its old epoch; they lie behind the seal and count for nothing. A strict
// commit says which calls of it that has happened to, and the client hears of that
// before it hears that the commit is stored.
//
// # The states of a call, as one tab sees it
//
// docs/states.md has which state may follow which; here is what leads there. A call
// that the tab has not heard of has no entry. "Read" is a read of the whole log
// under way; inputs about the call that come meanwhile wait for it, unless they make it
// void.
//
//	state       input                                        leads to
//	----------  -------------------------------------------  ------------------------------------------------------
//	none        loaded or read, this tab's                   owned
//	            loaded or read, another tab's or nobody's    followed
//	            a commit of this tab's begins with its head  owned
//	            another tab's head, with the rows behind it  followed
//	            a row of it; released                        followed, read
//	owned       a commit with the deletion                   none
//	            forgotten                                    none; the others hear of that once more
//	            a row of a higher epoch                      followed, read
//	            taken, with a higher epoch                   followed, read; gone from the store: "handed"
//	                                                         (below)
//	            a commit finds that it is another tab's      read, and the commit is not reported before
//	                                                         that
//	            the page wakes; the read says another tab's  followed
//	            the client cannot read it                    unreadable, given up: Release, and the others
//	                                                         hear of it
//	            its key is another call's                    none; that call is followed
//	            forgotten, an app was handed its outcome     asked; the client lets go of it
//	followed    the next row                                 followed; the client gets the row
//	            a row that is not the next one               followed, read
//	            taken, all rows before it known              followed, under the new epoch
//	            taken, rows missed                           followed, read
//	            taken, with an epoch that was read before    followed; the client hears of it once more
//	            forgotten                                    none; the client hears how it had ended
//	            the same, an app was handed its outcome      asked; the others are asked for that
//	            its tab is gone; nobody has it               TakeOver
//	            its tab is frozen, or silent for 3 s         read, then TakeOver where it can be gone on
//	                                                         with
//	            TakeOver answered with the call              owned; the others hear of it
//	            TakeOver answered with nothing               followed, read: somebody else was first
//	            the same, and nobody was                     followed, read again after 2 s, then TakeOver
//	            the client cannot read it                    unreadable
//	unreadable  forgotten                                    none
//	            TakeOver, asked for before, answered         owned, until the client says once more that it
//	                                                         cannot
//	            a call of this tab's has its key             followed, until then
//	            anything else                                unreadable: what a tab cannot read it leaves
//	                                                         alone
//	asked       told                                         none; the client gets the outcome
//	            nobody tells within 5 s                      none; the client hears how it had ended
//
// "Handed": the call ended and was acknowledged while this tab slept, so that its log
// cannot be read. The client gets the epoch and the seal that the new owner has broadcast, and decides
// whether the rows that it has are enough. Where it has done with the call it gets neither.
//
// A read says how a call stood when it was made. Where this tab has to know more, a read that is
// under way is void, and another one begins; one that fails is made again, and what must not go
// on without it waits.
//
// Faults that this answers are those of docs/faults.md, "Several tabs", and 121, 131,
// 135, 148, 149, 158, 176, 177, 179, 384, 418, 419, 469, 471, 473, 474, 569, 614 and 790.
//
// machine.go has the effects that a host carries out, input.go what it reports, call.go
// the states, follow.go what is heard, read.go and takeover.go what is asked of the
// store, commit.go this tab's own commits, peers.go which other tabs there are,
// alone.go whether there are any,
// told.go how a call has ended that is stored no more.
package tabs
