package sealed

// What SQLite does to its log. Offsets and sizes are those of its own format.

func (f *File) readLog(dst []byte, off int64) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	w := &f.log
	if off < walHeader {
		if w.generation == 0 || off+int64(len(dst)) > walHeader {
			return errShort
		}
		copy(dst, w.head[off:])
		return nil
	}
	i, at := int((off-walHeader)/sqliteFrame), (off-walHeader)%sqliteFrame
	switch {
	case at == frameHeader && len(dst) == pageSize:
		return w.readPage(f.keys, dst, i)
	case at == 0 && len(dst) == sqliteFrame, at+int64(len(dst)) <= frameHeader:
		r, err := w.frame(f.keys, make([]byte, frameSize), i)
		if err != nil {
			return err
		}
		n := copy(dst, r.header()[at:])
		if n < len(dst) {
			clear(dst[n+copy(dst[n:], r[:headerAt]):])
		}
		return nil
	}
	return errLayout
}

// readPage is the path of every read of SQLite's that the log answers.
func (w *wal) readPage(k *keys, dst []byte, i int) error {
	buf := frameBuffers.Get().(*[frameSize]byte)
	defer frameBuffers.Put(buf)
	r, err := w.frame(k, buf[:], i)
	if err != nil {
		return err
	}
	clear(dst[copy(dst, r[:headerAt]):])
	return nil
}

func (f *File) writeLog(src []byte, off int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := &f.log
	if off == 0 && len(src) == walHeader {
		return f.restartLog(src)
	}
	if off < walHeader || w.generation == 0 {
		return errLayout
	}
	i, at := int((off-walHeader)/sqliteFrame), (off-walHeader)%sqliteFrame
	header := at == 0 && len(src) == frameHeader
	switch page := at == frameHeader && len(src) == pageSize; {
	case header && i == w.total():
		return w.begin(f.keys, src, f.mark.commits+1)
	case !header && !page:
		return errLayout
	case page && !allZero(src[pageSize-reserve:]):
		return errReserve
	}
	return f.changeFrame(i, header, src)
}

// changeFrame puts a header or a page into a frame that exists. Most often this is the page after its header; but
// SQLite also changes frames of a commit that spilled out of its cache, and then their headers' checksums.
func (f *File) changeFrame(i int, header bool, src []byte) error {
	w, commit := &f.log, f.mark.commits+1
	r, err := w.frame(f.keys, f.scratch[:], i)
	if err != nil {
		return err
	}
	unfinished := allZero(r.salts())
	if header {
		copy(r.header(), src)
	} else {
		copy(r[:headerAt], src)
	}
	ends := w.ends(r) && (!header || unfinished)
	if i < w.frames {
		if err := w.replace(f.keys, f.scratch[:], i, commit); err != nil {
			return err
		}
	}
	if !ends {
		return nil
	}
	if err := w.flush(f.keys, commit); err != nil {
		return err
	}
	f.mark.commits = commit
	return f.writeMark()
}

// restartLog begins a generation. SQLite does so only when the pages hold, durably, what the log did.
func (f *File) restartLog(head []byte) error {
	m := &f.mark
	m.generation = max(m.generation, f.log.generation) + 1
	m.settled = m.commits
	if err := f.log.create(); err != nil {
		return err
	}
	return f.log.restart(f.keys, head, m.generation, m.commits, f.pages)
}

// syncLog makes what was committed so far durable, and notes that it is. The note itself need not be.
func (f *File) syncLog() error {
	f.mu.Lock()
	err := f.log.create()
	if err == nil {
		err = f.log.flush(f.keys, f.mark.commits+1)
	}
	log, commits := f.log, f.mark.commits
	f.mu.Unlock()
	if err != nil {
		return err
	}
	if err := log.sync(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log.unnamed = false
	if commits <= f.mark.durable {
		return nil
	}
	f.mark.durable = commits
	return f.writeMark()
}

// emptyLog ends a generation: SQLite has moved all of it into the pages. A rekey or backup that waited for this is
// finished first, while the log is still there.
func (f *File) emptyLog(remove bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.settle(); err != nil {
		return err
	}
	if f.mirror != nil {
		f.mirror.finish(f)
	}
	f.log.forget()
	d := f.log.disk
	if d == nil {
		return nil
	}
	if !remove {
		return d.Truncate(0)
	}
	f.log.disk = nil
	return d.remove()
}
