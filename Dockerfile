# docker build -t sluice . && docker run --env-file sluice.env -v sluice:/data sluice
# For webhooks, and for whoever looks after its health: -e SLUICE_HTTP_ADDR=0.0.0.0:8080 -p 8080:8080
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# The program says of which commit it is: .git is here for that. Time zones are embedded in it. What it writes belongs to nobody in particular:
# /data, and /tmp for uploads and SQLite.
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /out/sluice ./cmd/sluice \
	&& mkdir -p -m 0700 /own/data \
	&& mkdir -m 1777 /own/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65532:65532 /own/ /
COPY --from=build /out/sluice /sluice
USER 65532:65532
ENV SLUICE_DATA=/data
VOLUME /data
ENTRYPOINT ["/sluice"]
CMD ["serve"]
