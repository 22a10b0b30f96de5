// Package layout places shapes of given sizes and leads the edges between them. It knows no words, types or colours:
// a graph of boxes goes in, centres and curves come out.
//
// A chart has a width that it keeps to. Graphviz (as WebAssembly, in this process) places what fits; what does not, such as
// many branches side by side, is stacked (stack.go): one node below the other, with lanes beside them. The stack also places
// what is too large for Graphviz and what remains when that fails. Look next at Arrange, then at best.
//
// # Decisions
//
//   - Only this package imports go-graphviz. Its WebAssembly is compiled in an init function of that module, so every
//     program that links this package pays about 30 ms at start, and 700 ms where the compiled code is not yet cached in
//     $TMPDIR/go-graphviz. A service should have a TMPDIR of its own, readable by nobody else: it holds machine code.
//   - Users' words never enter Graphviz: shapes are boxes of a fixed size with the ids n0, n1, ..., and a label is a row
//     of filler letters of the measured width. Its text metrics do not know our font, and its parser is C.
//   - One call at a time: the instance is global to the process, and two calls at once destroy it. It cannot be
//     interrupted, so graphs are capped before they reach it, a caller waits at most for its patience, and then
//     gets the stack. While a layout is overdue nobody else waits for it: all get the stack at once, until
//     it returns. A panic inside it is caught and has the same end. Stacks made for these reasons are marked
//     Makeshift. A child process would also bound its memory, but this is a library: its tests and every program that
//     links it would have to serve as that child. What bounds the memory are the caps.
//   - Within that patience the same graph always gives the same chart.
package layout
