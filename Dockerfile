# The service in a container: Node 24, an ordinary user, the data in a volume.
#   docker build -t keyrank .
#   docker run -p 8080:8080 -v keyrank:/data --memory 8g keyrank serve --demo
# The tag names one version of Node and Debian; docs/operations.md says how to pin the digest, too.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY scripts scripts
COPY src src
COPY demo demo
COPY web web
COPY tsconfig.json tsconfig.build.json openapi.json README.md LICENSE CHANGELOG.md ./
RUN npm run build && npm prune --omit=dev

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 KEYRANK_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json /app/openapi.json /app/LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN install -d -m 0700 -o node -g node /data && ln -s /app/dist/cli/main.js /usr/local/bin/keyrank
USER node
VOLUME /data
EXPOSE 8080
# Ready means that the published data is loaded and the database answers; the first start may take a while.
HEALTHCHECK --interval=10s --timeout=3s --start-period=120s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT ?? 8080) + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# What it writes is for its own user.
ENTRYPOINT ["/bin/sh", "-c", "umask 077 && exec keyrank \"$@\"", "keyrank"]
CMD ["serve"]
