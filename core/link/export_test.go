package link

// MayFollow reports whether one state of a stream may follow another.
func MayFollow(from, next int) bool { return transitions.May(uint8(from), uint8(next)) }

// MayFollowReach reports the same of a question whether anything answers.
func MayFollowReach(from, next int) bool { return reachTransitions.May(uint8(from), uint8(next)) }

// MayFollowBodies reports the same of what is known of bodies that are streams.
func MayFollowBodies(from, next int) bool { return bodiesTransitions.May(uint8(from), uint8(next)) }

// MayFollowPost reports the same of a post.
func MayFollowPost(from, next int) bool { return postTransitions.May(uint8(from), uint8(next)) }
