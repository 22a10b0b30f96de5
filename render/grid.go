package render

import (
	"math"

	"sluice/render/path"
)

// gridCell is the side of a square of the grid: about a node's height, so that a square holds few things.
const gridCell = 64.0

// grid finds what lies near a place without asking every node and edge; large charts have thousands of both.
type grid[T any] struct{ cells map[[2]int][]T }

func newGrid[T any]() grid[T] { return grid[T]{map[[2]int][]T{}} }

// add puts a thing into every square that a box around c touches.
func (g grid[T]) add(thing T, c path.Point, halfW, halfH float64) {
	for cell := range cellsOf(c, halfW, halfH) {
		g.cells[cell] = append(g.cells[cell], thing)
	}
}

// near gives the things in the squares that a box around c touches; one may come more than once.
func (g grid[T]) near(c path.Point, halfW, halfH float64) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for cell := range cellsOf(c, halfW, halfH) {
			for _, thing := range g.cells[cell] {
				if !yield(thing) {
					return
				}
			}
		}
	}
}

func cellsOf(c path.Point, halfW, halfH float64) func(yield func([2]int) bool) {
	square := func(v float64) int { return int(math.Floor(v / gridCell)) }
	return func(yield func([2]int) bool) {
		for x := square(c.X - halfW); x <= square(c.X+halfW); x++ {
			for y := square(c.Y - halfH); y <= square(c.Y+halfH); y++ {
				if !yield([2]int{x, y}) {
					return
				}
			}
		}
	}
}
