"""What calls cost when there is no space: enospc.py OUT.tsv [data|inodes], in the root of a small file system."""
import ctypes, os, re, stat, sys, time
out, what = sys.argv[1], sys.argv[2]
libc = ctypes.CDLL(None, use_errno=True)
dev = os.path.basename(os.readlink("/sys/dev/block/%d:%d" % (os.major(os.stat(".").st_dev), os.minor(os.stat(".").st_dev))))
rows = open(out, "w")
def counters():
    now = time.time()
    fc = open(f"/proc/fs/ext4/{dev}/fc_info").read()
    jb = open(f"/proc/fs/jbd2/{dev}-8/info").read()
    c = [int(re.search(rf"^(\d+) {k}$", fc, re.M)[1]) for k in ("commits", "ineligible", "numblks")]
    c += map(int, re.search(r"(\d+) transactions \((\d+) requested\)", jb).groups())
    r = {k: int(v) for k, v in re.findall(r'^"([^"]+)":\s+(\d+)$', fc, re.M)}
    return now, c, r
last = (0, [0] * 5, {})
number = 0
def read(name):
    global last
    u = counters(); d = [y - x for x, y in zip(last[1], u[1])]
    reasons = {k: v - last[2].get(k, 0) for k, v in u[2].items() if v != last[2].get(k, 0)}
    rows.write(f"{name}\t{u[0]:.6f}\t" + "\t".join(map(str, d)) + "\t" + ",".join(f"{k}={v}" for k, v in sorted(reasons.items())) + "\n")
    last = u; rows.flush()
def fallocate(path, m, off, n):
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    r = libc.fallocate(fd, m, ctypes.c_long(off), ctypes.c_long(n)); e = ctypes.get_errno() if r else 0
    os.close(fd)
    if e: raise OSError(e, "fallocate")
def write(path, n, at=None):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    try: return os.pwrite(fd, b"w" * n, os.fstat(fd).st_size if at is None else at)
    finally: os.close(fd)
def cell(name, call, settle=True):
    global number
    number += 1
    read(name + "\tbefore")
    e = ""
    try: r = call()
    except OSError as error: e = f" E{error.errno}"
    read(name + e + "\tcall")
    os.chmod("probe", 0o600); fd = os.open("probe", os.O_WRONLY); os.fsync(fd); os.close(fd)
    read(name + e + "\tprobe")
def syncfs():
    for q in ("small", "other", "third", "big", "again", "scratch", "more", "more2", f"d/f{number:03}"):
        if os.path.isfile(q):
            fd = os.open(q, os.O_RDONLY); libc.sync_file_range(fd, ctypes.c_long(0), ctypes.c_long(0), 7); os.close(fd)
    fd = os.open(".", os.O_RDONLY); libc.syncfs(fd); os.close(fd)
fd = os.open("probe", os.O_RDWR | os.O_CREAT, 0o644); os.write(fd, b"z" * 4096); os.fsync(fd); os.close(fd)
os.mkdir("d")
def new(): return f"d/f{number:03}"
G = 1 << 30
if what == "data":
    for f in ("small", "other", "third"): write(f, 8192, 0)
    syncfs()
    cell("fill", lambda: fallocate("fill", 0, 0, G))
    syncfs()
    ops = [("fallocate", lambda: fallocate(new(), 0, 0, 65536)),
           ("write", lambda: write(new(), 4096, 0)),
           ("write-append", lambda: write("small", 16384)),
           ("create", lambda: os.close(os.open(new(), os.O_CREAT | os.O_WRONLY, 0o644))),
           ("mkdir", lambda: os.mkdir(new())),
           ("symlink", lambda: os.symlink("short", new())),
           ("symlink-long", lambda: os.symlink("l" * 200, new())),
           ("setxattr-small", lambda: os.setxattr("other", f"user.n{number}", b"1")),
           ("setxattr-block", lambda: os.setxattr("third", "user.a", b"v" * 900)),
           ("overwrite", lambda: write("small", 100, 0)),
           ("truncate-up", lambda: os.truncate("small", 1 << 20)),
           ("direct", lambda: direct(new())),
           ("acl", lambda: os.setxattr("third", "system.posix_acl_access", (2).to_bytes(4, "little") + b"".join(t.to_bytes(2, "little") + (6).to_bytes(2, "little") + i.to_bytes(4, "little") for t, i in [(1, 0xffffffff)] + [(2, 1000 + k) for k in range(60)] + [(4, 0xffffffff), (16, 0xffffffff), (32, 0xffffffff)])))]
    def write_fsync(p, n):
        fd = os.open(p, os.O_WRONLY | os.O_CREAT, 0o644); os.write(fd, b"q" * n); os.fsync(fd); os.close(fd)
    def direct(p, n=8192):
        import mmap
        fd = os.open(p, os.O_WRONLY | os.O_CREAT | os.O_DIRECT, 0o644); m = mmap.mmap(-1, n)
        try: os.pwritev(fd, [m], 0)
        finally: os.close(fd)
    for n, f in ops: cell("full-" + n, f); syncfs()
    size = os.stat("fill").st_size
    # what fits only when the running transaction's frees are on disk
    for n, big in (("fallocate", lambda: fallocate("big", 0, 0, 8 << 20)), ("write-fsync", lambda: write_fsync("big", 8 << 20)),
                   ("direct", lambda: direct("big", 8 << 20))):
        size -= 12 << 20
        os.truncate("fill", size)
        cell("freed-much-" + n, big); syncfs()
        os.unlink("big"); syncfs()
        try: fallocate(f"rest{number}", 0, 0, G)
        except OSError: pass
        syncfs()
    for n, f in ops:   # space that the running transaction frees
        size -= 128 << 10
        os.truncate("fill", size)
        cell("freed-" + n, f); syncfs()
        try: fallocate(f"fill{number}", 0, 0, G)
        except OSError: pass
        syncfs()
    for n, f in (("fallocate", lambda: fallocate("more", 0, 0, G)), ("write", lambda: write("more2", 1 << 20, 0))):
        size -= 128 << 10
        os.truncate("fill", size)
        cell("freed-too-little-" + n, f); syncfs()
    os.unlink("fill")
    cell("unlinked-write", lambda: write("again", 64 << 10, 0)); 
    fd = os.open("again", os.O_WRONLY); os.fsync(fd); os.close(fd)
    read("unlinked-fsync\tcall")
    syncfs()
if what == "inodes":
    os.mkdir("many"); k = 0
    write("scratch", 65536, 0)
    try:
        while True: os.close(os.open(f"many/{k}", os.O_CREAT | os.O_WRONLY, 0o644)); k += 1
    except OSError as e: pass
    syncfs()
    ops = [("create", lambda: os.close(os.open(new(), os.O_CREAT | os.O_WRONLY, 0o644))),
           ("mkdir", lambda: os.mkdir(new())), ("symlink", lambda: os.symlink("short", new())),
           ("fifo", lambda: os.mkfifo(new())), ("tmpfile", lambda: os.close(os.open("d", os.O_TMPFILE | os.O_WRONLY, 0o600))),
           ("link", lambda: os.link("probe", new())), ("rename", lambda: os.rename("many/5", "many/5r") if os.path.exists("many/5") else None)]
    for n, f in ops: cell("none-" + n, f)
    syncfs()
    for n, f in ops:
        write("scratch", 65536, 0); syncfs(); os.truncate("scratch", 0)
        cell("none-freed-" + n, f); syncfs()
