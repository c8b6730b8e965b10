module corotracer.test/go-service

go 1.25
