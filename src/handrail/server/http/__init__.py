"""HTTP on the socket and the port: routes, the hook endpoint, who may ask."""
