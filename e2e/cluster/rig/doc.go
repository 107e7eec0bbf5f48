// Package rig runs a cluster for a test: nodes that are processes of their own, and can be killed; the store
// that they share, behind a link of each that can be cut; a load balancer without stickiness; clients, which
// are the native core; and the world that tools act upon, which counts.
package rig
