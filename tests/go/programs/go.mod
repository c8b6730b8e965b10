module corotracer.test/programs

go 1.22
