module corotracer.test/server

go 1.22
