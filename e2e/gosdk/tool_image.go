//go:build !js

package gosdk

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func addImage(g *generation) {
	type input struct {
		Size int    `json:"size"`
		Seed uint64 `json:"seed"`
	}
	add(g, tool{
		name: "random_image", title: "Random image",
		description: "Draws a small PNG of coloured tiles. The same seed draws the same image.",
		input: `{"type":"object","properties":{
			"size":{"type":"integer","title":"Size","description":"Width and height in pixels.","minimum":8,"maximum":512,"default":96},
			"seed":{"type":"integer","title":"Seed","description":"0 draws another image every time.","minimum":0,"maximum":9007199254740991,"default":0}}}`,
		hints: mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(bool)},
	}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		data, err := tiles(in.Size, in.Seed)
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.ImageContent{MIMEType: "image/png", Data: data}}}, nil, nil
	})
}

// tiles paints eight by eight tiles, the right half mirroring the left.
func tiles(size int, seed uint64) ([]byte, error) {
	if seed == 0 {
		seed = rand.Uint64()
	}
	dice := rand.New(rand.NewPCG(seed, 0))
	hue := color.RGBA{uint8(dice.UintN(200)), uint8(dice.UintN(200)), uint8(dice.UintN(200)), 255}
	var on [8][4]bool
	for y := range on {
		for x := range on[y] {
			on[y][x] = dice.UintN(2) == 0
		}
	}
	img := image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{color.RGBA{245, 245, 240, 255}, hue})
	for y := range size {
		for x := range size {
			column := x * 8 / size
			if on[y*8/size][min(column, 7-column)] {
				img.SetColorIndex(x, y, 1)
			}
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}
