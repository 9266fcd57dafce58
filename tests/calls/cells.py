"""The table "call by synchronous option", recorded on the running kernel: one call a cell, the counters read
around it and after an append and fsync of another file.

Workload:  cells.py PLACE OUT.tsv     in a directory of the file system; PLACE: where +S or +D is set: file-S, dir-S,
           dir-D, or plain (nowhere: the mount options do it)
Trimming:  cells.py --trim BUNDLE     drops the lines of a bundle's trace that are about other file systems
A bundle is recorded with any recorder that takes a command, under strace -f -ttt -T -y; OUT.tsv becomes its cells.tsv:
1 GiB or less, mke2fs -O fast_commit -b 4096, mount options: none, sync, dirsync.
"""
import array, ctypes, fcntl, os, re, stat, sys, time, mmap
def trim(bundle):
    import subprocess
    trace, env = bundle + "/trace.strace.zst", bundle + "/env.toml"
    mount_point = re.search(r'mount_point = "(.*)"', open(env).read())[1]
    lines = subprocess.run(["zstdcat", trace], capture_output=True, text=True, check=True).stdout.splitlines(True)
    other = re.compile(r"/proc/|/usr/|/etc/|/sys/|/dev/null|cells.py|\.tsv|pipe:|ENOENT|ENOTDIR")
    keep = [l for l in lines if mount_point in l or "exit" in l or not (other.search(l) or "execve" in l)]
    subprocess.run(["zstd", "-q", "-19", "-f", "-o", trace], input="".join(keep), text=True, check=True)
    text = open(env).read()
    open(env, "w").write(re.sub(r'(command = \[.*?)"[^"]*/(cells.py", "[^"]*", )"[^"]*"', r'\1"\2"cells.tsv"', text))
if sys.argv[1] == "--trim":
    trim(sys.argv[2])
    sys.exit()
mode, out = sys.argv[1:3]
only = sys.argv[3:]
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
SETFLAGS, GETFLAGS = 0x40086602, 0x80086601
def getflags(fd):
    a = array.array("l", [0]); fcntl.ioctl(fd, GETFLAGS, a); return a[0] & 0xffffffff
def chattr(path, add=0, remove=0):
    fd = os.open(path, os.O_RDONLY)
    fcntl.ioctl(fd, SETFLAGS, array.array("l", [getflags(fd) & ~remove | add])); os.close(fd)
def write(path, n=4096, at=0, flags=0):
    fd = os.open(path, os.O_WRONLY | flags); os.pwrite(fd, b"x" * n, at); os.close(fd)
def settle(path):  # its data is on disk before syncfs, whose commits would race with the end of I/O
    fd = os.open(path, os.O_RDONLY); libc.sync_file_range(fd, ctypes.c_long(0), ctypes.c_long(0), 7); os.close(fd)
def make(path, n=0):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    if n: os.write(fd, b"y" * n)
    os.close(fd)
    if mode == "file-S": chattr(path, 8)
    return path
def syncfs():
    fd = os.open(".", os.O_RDONLY); libc.syncfs(fd); os.close(fd)
def fallocate(path, m, off, n, flags=0):
    fd = os.open(path, os.O_RDWR | flags)
    if libc.fallocate(fd, m, ctypes.c_long(off), ctypes.c_long(n)): raise OSError(ctypes.get_errno(), "fallocate")
    os.close(fd)
def renameat2(a, b, flags):
    if libc.renameat2(-100, a.encode(), -100, b.encode(), flags): raise OSError(ctypes.get_errno(), "renameat2")
def acl(*entries):
    return (2).to_bytes(4, "little") + b"".join(t.to_bytes(2, "little") + p.to_bytes(2, "little") + i.to_bytes(4, "little") for t, p, i in entries)
N = 0xffffffff
ACL = acl((1, 6, N), (2, 4, 1000), (4, 4, N), (16, 4, N), (32, 4, N))
MODE644 = acl((1, 6, N), (4, 4, N), (32, 4, N))
MODE755 = acl((1, 7, N), (4, 5, N), (32, 5, N))
DEFAULT = acl((1, 7, N), (2, 5, 1000), (4, 5, N), (16, 5, N), (32, 5, N))
A, D = "system.posix_acl_access", "system.posix_acl_default"
cells = []
def cell(name, prepare=None, call=None, on=("plain", "file-S", "dir-S", "dir-D")):
    cells.append((name, prepare, call, on))
dirs = ("plain", "dir-S", "dir-D")
W = "w"
def run():
    os.mkdir(W)
    if mode == "dir-S": chattr(W, 8)
    if mode == "dir-D": chattr(W, 0x10000)
    os.mkdir("other")
    make("probe", 4096)
    sampled = os.open("probe", os.O_RDWR); os.pwrite(sampled, b"z", 0); os.fsync(sampled)
    used = ()
    last = (0, [0] * 5, {})
    for number, (name, prepare, call, on) in enumerate(cells):
        if mode not in on or (only and name not in only): continue
        p = f"{W}/c{number:02}"
        x = prepare(p) if prepare else None
        for q in used + (p, p + "r", "other/" + os.path.basename(p)):
            if not os.path.islink(q) and os.path.isfile(q): settle(q)
        used = (p, p + "r", "other/" + os.path.basename(p))
        syncfs()
        before = counters()
        e = ""
        try: call(p)
        except OSError as error: e = str(error.errno)
        middle = counters()
        fd = os.open("probe", os.O_WRONLY | os.O_APPEND); os.write(fd, b"p" * 100); os.fsync(fd); os.close(fd)
        after = counters()
        for which, (t, a, ra), (u, b, rb) in (("before", last, before), ("call", before, middle), ("probe", middle, after)):
            d = [y - x for x, y in zip(a, b)]
            reasons = {k: rb[k] - ra.get(k, 0) for k in rb if rb[k] != ra.get(k, 0)}
            rows.write(f"{name}{' E' + e if e else ''}\t{which}\t{u:.6f}\t" + "\t".join(map(str, d)) + "\t" + ",".join(f"{k}={v}" for k, v in sorted(reasons.items())) + "\n")
        last = after
        rows.flush()
f0 = lambda p: make(p)
f1 = lambda p: make(p, 4096)
f3 = lambda p: make(p, 3 * 4096)
f100 = lambda p: make(p, 100)
cell("create", None, f0, dirs)
cell("create-write", None, f1, dirs)
cell("append", f1, lambda p: write(p, 4096, 4096))
cell("append-to-empty", f0, lambda p: write(p, 4096, 0))
cell("append-part", f100, lambda p: write(p, 100, 100))
cell("overwrite", f1, lambda p: write(p))
cell("write-hole", f1, lambda p: write(p, 100, 40960))
cell("write-zero-bytes", f1, lambda p: write(p, 0))
def twice(p):
    fd = os.open(p, os.O_WRONLY); os.pwrite(fd, b"1" * 10, 0); os.pwrite(fd, b"2" * 10, 4096); os.close(fd)
cell("write-twice", f1, twice)
def written_fsync(p):
    fd = os.open(p, os.O_WRONLY); os.pwrite(fd, b"1" * 10, 4096); os.fsync(fd); os.close(fd)
cell("write-fsync", f1, written_fsync)
def written_fdatasync(p):
    fd = os.open(p, os.O_WRONLY); os.pwrite(fd, b"1" * 10, 4096); os.fdatasync(fd); os.close(fd)
cell("write-fdatasync", f1, written_fdatasync)
cell("overwrite-osync", f1, lambda p: write(p, flags=os.O_SYNC))
cell("append-dsync", f1, lambda p: write(p, 10, 4096, flags=os.O_DSYNC))
def direct(off):
    def go(p):
        fd = os.open(p, os.O_WRONLY | os.O_DIRECT); m = mmap.mmap(-1, 4096); os.pwritev(fd, [m], off); os.close(fd)
    return go
cell("direct-append", f1, direct(4096))
cell("direct-overwrite", f1, direct(0))
def mapped(p):
    fd = os.open(p, os.O_RDWR); m = mmap.mmap(fd, 4096); m[0] = 1; m.flush(); m.close(); os.close(fd)
cell("mmap-msync", f1, mapped)
def cfr(p):
    a = os.open("probe", os.O_RDONLY); b = os.open(p, os.O_WRONLY); os.copy_file_range(a, b, 4000, 0, 0); os.close(a); os.close(b)
cell("copy-file-range", f1, cfr)
def sendf(p):
    a = os.open("probe", os.O_RDONLY); b = os.open(p, os.O_WRONLY); os.sendfile(b, a, 0, 4000); os.close(a); os.close(b)
cell("sendfile", f1, sendf)
cell("mkdir", None, os.mkdir, dirs)
cell("mkdir-nested-create", os.mkdir, lambda p: make(p + "/x"), dirs)
cell("fifo", None, lambda p: os.mkfifo(p), dirs)
cell("device", None, lambda p: os.mknod(p, 0o600 | stat.S_IFCHR, os.makedev(1, 3)), dirs)
cell("symlink", None, lambda p: os.symlink("target", p), dirs)
cell("symlink-long", None, lambda p: os.symlink("t" * 100, p), dirs)
cell("link", f1, lambda p: os.link(p, p + "l"))
cell("unlink-empty", f0, os.unlink)
cell("unlink", f1, os.unlink)
def linked(p): f1(p); os.link(p, p + "l")
cell("unlink-hardlink", linked, os.unlink)
def unlink_open(p):
    fd = os.open(p, os.O_RDONLY); os.unlink(p); os.close(fd)
cell("unlink-open", f1, unlink_open)
cell("unlink-symlink", lambda p: os.symlink("a", p), os.unlink, dirs)
cell("unlink-symlink-long", lambda p: os.symlink("a" * 90, p), os.unlink, dirs)
cell("unlink-fifo", os.mkfifo, os.unlink, dirs)
cell("rmdir", os.mkdir, os.rmdir, dirs)
cell("rename", f1, lambda p: os.rename(p, p + "r"))
def two(p): f1(p); make(p + "r", 4096)
cell("rename-over", two, lambda p: os.rename(p, p + "r"))
def write_rename(p): write(p, 4096, 4096); os.rename(p, p + "r")
cell("write-rename-over", two, write_rename)
cell("rename-out", f1, lambda p: os.rename(p, "other/" + os.path.basename(p)))
def outside(p): make("other/" + os.path.basename(p), 4096)
cell("rename-in", outside, lambda p: os.rename("other/" + os.path.basename(p), p))
cell("rename-directory", os.mkdir, lambda p: os.rename(p, p + "r"), dirs)
cell("rename-directory-out", os.mkdir, lambda p: os.rename(p, "other/" + os.path.basename(p)), dirs)
cell("rename-exchange", two, lambda p: renameat2(p, p + "r", 2))
cell("rename-whiteout", f1, lambda p: renameat2(p, p + "r", 4))
cell("truncate-down", f3, lambda p: os.truncate(p, 5000))
cell("truncate-up", f3, lambda p: os.truncate(p, 50000))
cell("truncate-same", f3, lambda p: os.truncate(p, 12288))
cell("truncate-zero", f3, lambda p: os.truncate(p, 0))
cell("open-trunc", f3, lambda p: os.close(os.open(p, os.O_WRONLY | os.O_TRUNC)))
cell("open-trunc-empty", f0, lambda p: os.close(os.open(p, os.O_WRONLY | os.O_TRUNC)))
def rewrite(p):
    fd = os.open(p, os.O_WRONLY | os.O_TRUNC); os.write(fd, b"n" * 100); os.close(fd)
cell("open-trunc-write", f3, rewrite)
cell("fallocate", f1, lambda p: fallocate(p, 0, 0, 65536))
cell("fallocate-inside", f3, lambda p: fallocate(p, 0, 0, 4096))
cell("fallocate-keep", f1, lambda p: fallocate(p, 1, 0, 65536))
cell("fallocate-punch", f3, lambda p: fallocate(p, 3, 4096, 4096))
cell("fallocate-punch-part", f3, lambda p: fallocate(p, 3, 100, 6000))
cell("fallocate-zero", f3, lambda p: fallocate(p, 0x10, 0, 8192))
cell("fallocate-zero-part", f3, lambda p: fallocate(p, 0x10, 100, 6000))
cell("fallocate-zero-keep", f3, lambda p: fallocate(p, 0x11, 0, 65536))
cell("fallocate-collapse", f3, lambda p: fallocate(p, 8, 4096, 4096))
cell("fallocate-insert", f3, lambda p: fallocate(p, 0x20, 4096, 4096))
cell("fallocate-osync", f1, lambda p: fallocate(p, 0, 0, 65536, os.O_SYNC))
cell("setxattr", f1, lambda p: os.setxattr(p, "user.a", b"1"))
def xf(p): f1(p); os.setxattr(p, "user.a", b"1")
cell("setxattr-same", xf, lambda p: os.setxattr(p, "user.a", b"1"))
cell("setxattr-other", xf, lambda p: os.setxattr(p, "user.a", b"2"))
cell("setxattr-create-exists", xf, lambda p: os.setxattr(p, "user.a", b"2", os.XATTR_CREATE))
cell("setxattr-block", f1, lambda p: os.setxattr(p, "user.a", (p * 100).encode()[:500]))
cell("removexattr", xf, lambda p: os.removexattr(p, "user.a"))
def xb(p): f1(p); os.setxattr(p, "user.a", (p * 100).encode()[:500])
cell("removexattr-block", xb, lambda p: os.removexattr(p, "user.a"))
cell("removexattr-missing", f1, lambda p: os.removexattr(p, "user.a"))
cell("unlink-xattr-block", xb, os.unlink)
cell("acl", f1, lambda p: os.setxattr(p, A, ACL))
cell("acl-equal-mode", f1, lambda p: os.setxattr(p, A, MODE644))
def af(p): f1(p); os.setxattr(p, A, ACL)
cell("acl-removed", af, lambda p: os.removexattr(p, A))
cell("acl-removed-missing", f1, lambda p: os.removexattr(p, A))
cell("chmod-acl", af, lambda p: os.chmod(p, 0o600))
cell("directory-acl", os.mkdir, lambda p: os.setxattr(p, A, ACL), dirs)
cell("directory-acl-equal-mode", os.mkdir, lambda p: os.setxattr(p, A, MODE755), dirs)
cell("directory-default-acl", os.mkdir, lambda p: os.setxattr(p, D, DEFAULT), dirs)
def dd(p): os.mkdir(p); os.setxattr(p, D, DEFAULT)
cell("directory-default-acl-removed", dd, lambda p: os.removexattr(p, D), dirs)
cell("directory-default-acl-removed-missing", os.mkdir, lambda p: os.removexattr(p, D), dirs)
cell("directory-default-acl-create", dd, lambda p: make(p + "/f"), dirs)
cell("directory-default-acl-mkdir", dd, lambda p: os.mkdir(p + "/d"), dirs)
cell("directory-setxattr", os.mkdir, lambda p: os.setxattr(p, "user.a", b"1"), dirs)
cell("directory-chmod", os.mkdir, lambda p: os.chmod(p, 0o700), dirs)
cell("directory-utimes", os.mkdir, lambda p: os.utime(p, (1, 2)), dirs)
cell("directory-fsync", os.mkdir, lambda p: (lambda fd: (os.fsync(fd), os.close(fd)))(os.open(p, os.O_RDONLY)), dirs)
cell("chmod", f1, lambda p: os.chmod(p, 0o600))
cell("chmod-same", f1, lambda p: os.chmod(p, 0o644))
cell("chown", f1, lambda p: os.chown(p, 1, 1))
cell("chown-same", f1, lambda p: os.chown(p, 0, 0))
cell("utimes", f1, lambda p: os.utime(p, (1, 2)))
cell("utimes-now", f1, lambda p: os.utime(p))
cell("chattr-nodump", f1, lambda p: chattr(p, 0x40))
cell("chattr-same", f1, lambda p: chattr(p))
cell("chattr-set-S", f1, lambda p: chattr(p, 8))
def sf(p): f1(p); chattr(p, 8)
cell("chattr-clear-S", sf, lambda p: chattr(p, 0, 8))
cell("chattr-set-D", os.mkdir, lambda p: chattr(p, 0x10000), dirs)
cell("chattr-directory-same", os.mkdir, lambda p: chattr(p), dirs)
def tmpfile(p):
    fd = os.open(os.path.dirname(p), os.O_TMPFILE | os.O_RDWR, 0o600); os.close(fd)
cell("tmpfile", None, tmpfile, dirs)
def tmpfile_write(p):
    fd = os.open(os.path.dirname(p), os.O_TMPFILE | os.O_RDWR, 0o600); os.write(fd, b"t" * 3000); os.close(fd)
cell("tmpfile-write", None, tmpfile_write, dirs)
def tmpfile_link(p):
    fd = os.open(os.path.dirname(p), os.O_TMPFILE | os.O_RDWR, 0o600); os.write(fd, b"t" * 3000)
    
    if libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, p.encode(), 0x400): raise OSError(ctypes.get_errno(), "linkat")
    os.close(fd)
cell("tmpfile-link", None, tmpfile_link, dirs)
def readit(p):
    fd = os.open(p, os.O_RDONLY); os.read(fd, 10); os.close(fd)
cell("read", f1, readit)
cell("append-osync", f1, lambda p: write(p, 10, 4096, flags=os.O_SYNC))
def sparse(p): make(p, 0); write(p, 4096, 40960)
cell("truncate-down-sparse", sparse, lambda p: os.truncate(p, 5000))
cell("truncate-block-inside", f3, lambda p: os.truncate(p, 12000))
def write_then(n):
    def go(p):
        fd = os.open(p, os.O_RDWR); os.pwrite(fd, b"1" * 9000, 4096); os.ftruncate(fd, n); os.close(fd)
    return go
cell("write-truncate-down", f1, write_then(2000))
cell("write-truncate-zero-close", f1, write_then(0))
def zero_write_fsync(p):
    fd = os.open(p, os.O_WRONLY | os.O_TRUNC); os.write(fd, b"n" * 100); os.fsync(fd); os.close(fd)
cell("open-trunc-write-fsync", f3, zero_write_fsync)
cell("create-write-fsync", None, lambda p: (lambda fd: (os.write(fd, b"z" * 100), os.fsync(fd), os.close(fd)))(os.open(p, os.O_WRONLY | os.O_CREAT, 0o644)), dirs)
def replace(p):
    fd = os.open(p + "n", os.O_WRONLY | os.O_CREAT, 0o644); os.write(fd, b"z" * 100); os.fsync(fd); os.close(fd); os.rename(p + "n", p)
cell("replace-fsync", f1, replace, dirs)
cell("directory-removexattr-missing", os.mkdir, lambda p: os.removexattr(p, "user.a"), dirs)
cell("fallocate-punch-beyond", f1, lambda p: fallocate(p, 3, 40960, 4096))
def falloc_fsync(p):
    fd = os.open(p, os.O_RDWR); libc.fallocate(fd, 0, ctypes.c_long(0), ctypes.c_long(65536)); os.pwrite(fd, b"x" * 4096, 8192); os.fsync(fd); os.close(fd)
cell("fallocate-write-fsync", f1, falloc_fsync)
cell("chattr-journal-data", f1, lambda p: chattr(p, 0x4000))
def mkdir_chattr(p): os.mkdir(p)
cell("directory-set-S-create", mkdir_chattr, lambda p: (chattr(p, 8), make(p + "/f")), dirs)
cell("directory-set-D-mkdir", mkdir_chattr, lambda p: (chattr(p, 0x10000), os.mkdir(p + "/d"), make(p + "/d/f")), dirs)
cell("readdir", os.mkdir, lambda p: os.listdir(p), dirs)
cell("readlink", lambda p: os.symlink("a", p), os.readlink, dirs)
def sfr(p):
    fd = os.open(p, os.O_WRONLY); os.pwrite(fd, b"s" * 4096, 4096); libc.sync_file_range(fd, ctypes.c_long(0), ctypes.c_long(0), 7); os.close(fd)
cell("sync-file-range", f1, sfr)
def dsyncv(p):
    fd = os.open(p, os.O_WRONLY); os.pwritev(fd, [b"s" * 100], 4096, os.RWF_DSYNC); os.close(fd)
cell("pwritev2-dsync", f1, dsyncv)
run()
