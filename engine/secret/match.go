package secret

// matcher finds many needles in one pass over a text (Aho-Corasick). Its time is linear in the text, however many needles there are.
type matcher struct {
	class   [256]uint16 // of a byte; 0 = in no needle
	classes int
	next    []int32 // state * classes + class -> state
	longest []int32 // state -> the longest needle that ends here, plus one; 0 = none
	depth   []int32 // state -> how many bytes of a needle have come
	needles []needle
}

// needle is a value to find.
type needle struct{ text, name string }

func newMatcher(needles []needle) *matcher {
	m := &matcher{needles: needles, classes: 1}
	for _, n := range needles {
		for i := range len(n.text) {
			if c := &m.class[n.text[i]]; *c == 0 {
				*c = uint16(m.classes)
				m.classes++
			}
		}
	}
	m.grow()
	for i, n := range needles {
		state := int32(0)
		for j := range len(n.text) {
			at := int(state)*m.classes + int(m.class[n.text[j]])
			if m.next[at] == 0 {
				m.next[at] = m.grow()
				m.depth[m.next[at]] = int32(j + 1)
			}
			state = m.next[at]
		}
		if m.longest[state] == 0 {
			m.longest[state] = int32(i + 1)
		}
	}
	m.link()
	return m
}

// grow adds a state.
func (m *matcher) grow() int32 {
	m.next = append(m.next, make([]int32, m.classes)...)
	m.longest = append(m.longest, 0)
	m.depth = append(m.depth, 0)
	return int32(len(m.longest) - 1)
}

// link says for each state and byte where to go on when no needle goes on with it.
func (m *matcher) link() {
	fail := make([]int32, len(m.longest))
	queue := make([]int32, 0, len(m.longest))
	for c := 1; c < m.classes; c++ {
		if s := m.next[c]; s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if m.longest[s] == 0 {
			m.longest[s] = m.longest[fail[s]]
		}
		for c := 1; c < m.classes; c++ {
			at := int(s)*m.classes + c
			back := m.next[int(fail[s])*m.classes+c]
			if to := m.next[at]; to != 0 {
				fail[to] = back
				queue = append(queue, to)
			} else {
				m.next[at] = back
			}
		}
	}
}

// find calls found for the longest needle that ends at each byte. It gives how many of the last bytes may be the beginning of a needle.
func (m *matcher) find(text []byte, found func(from, to int, n *needle)) (open int) {
	state := int32(0)
	for i, b := range text {
		state = m.next[int(state)*m.classes+int(m.class[b])]
		if l := m.longest[state]; l != 0 {
			n := &m.needles[l-1]
			found(i+1-len(n.text), i+1, n)
		}
	}
	return int(m.depth[state])
}
