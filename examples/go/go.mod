module dev.sheaf/examples/readvalue

go 1.22

require github.com/klauspost/compress v1.18.0
