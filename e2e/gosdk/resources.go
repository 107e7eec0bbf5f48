//go:build !js

package gosdk

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	notesURI = "demo://notes"
	tideURI  = "demo://tide"
	pierURI  = "demo://piers/"
)

// tideEvery is how often those who watch the tide hear that it has changed.
const tideEvery = 2 * time.Second

// subscriptions accepts every one: the SDK keeps the list, and tells nobody else.
func subscriptions(o *mcp.ServerOptions) {
	o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
}

func addResources(g *generation) {
	resource := func(uri, name, title, description string, read func() string) {
		g.sdk.AddResource(
			&mcp.Resource{URI: uri, Name: name, Title: title, Description: description,
				MIMEType: "text/plain"},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return plain(uri, read()), nil
			},
		)
	}
	resource(notesURI, "notes", "Notes", "What add_note has written; changes with every note.", g.notes.text)
	resource(tideURI, "tide", "Tide",
		"The water at the pier; changes all the time, and says so every two seconds.",
		func() string { return tide(time.Now()) })
	g.sdk.AddResourceTemplate(
		&mcp.ResourceTemplate{
			URITemplate: pierURI + "{name}", Name: "pier", Title: "A pier",
			Description: "Who lies at the pier of this name.", MIMEType: "text/plain",
		},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			ship, ok := piers[strings.TrimPrefix(r.Params.URI, pierURI)]
			if !ok {
				return nil, mcp.ResourceNotFoundError(r.Params.URI)
			}
			return plain(r.Params.URI, ship), nil
		},
	)
	go func() {
		for pause(g.ctx, tideEvery) == nil {
			g.changed(tideURI)
		}
	}()
}

// changed tells whoever has subscribed.
func (g *generation) changed(uri string) {
	_ = g.sdk.ResourceUpdated(g.ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
}

var piers = map[string]string{
	"north": "The ferry Marlene, until noon.",
	"south": "Two trawlers and a dinghy.",
	"west":  "Nobody: the crane is being painted.",
}

// tide goes up and down within a minute, so that every look shows another one.
func tide(now time.Time) string {
	phase := 2 * math.Pi * float64(now.UnixMilli()%60_000) / 60_000
	direction := "rising"
	if math.Cos(phase) < 0 {
		direction = "falling"
	}
	return fmt.Sprintf("%.2f m, %s, at %s", 2+1.5*math.Sin(phase), direction, now.UTC().Format("15:04:05"))
}

func plain(uri, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{
		Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: text}}}
}
