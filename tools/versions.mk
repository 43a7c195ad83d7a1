# Versions of the tools that check the project. They are installed into .cache/
# by name with the Go command; none is part of the product.
GOLANGCI_VERSION := v2.15.0
