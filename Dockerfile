# The service as a container image: built with all packages, run with production's packages, without root.
FROM node:24.11.1-bookworm-slim AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
# Scripts stay off: one of them prepares the embedded PostgreSQL, which is for development and tests.
RUN npm ci --include=dev --ignore-scripts
COPY tsconfig.json tsconfig.build.json prisma.config.ts vite.config.ts ./
COPY prisma ./prisma
COPY generated ./generated
COPY src ./src
RUN npm run build

# This image has a compiler, which the slim image lacks.
FROM node:24.11.1-bookworm AS packages
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
# The password hash has a native part. Its script takes the prebuilt part where that loads, and otherwise compiles it
# against the headers of this image (a build has needed this). The last commands use it and DuckDB once, so that a broken
# part ends the build and not a login or a report. The packages take less than 275 MB of the disk, of which Prisma Client and DuckDB
# take 75 each. --legacy-peer-deps leaves out Prisma's command line and the compiler (docs/decisions/migrations-over-pg.md).
ENV npm_config_nodedir=/usr/local
RUN npm ci --omit=dev --legacy-peer-deps --ignore-scripts && npm rebuild argon2 \
  && node -e "import('argon2').then(({ hash }) => hash('probe'))" \
  && node -e "import('@duckdb/node-api').then(({ DuckDBInstance }) => DuckDBInstance.create())" && mkdir /analytics

FROM node:24.11.1-bookworm-slim
ENV NODE_ENV=production
WORKDIR /service
COPY --from=packages /service/node_modules ./node_modules
COPY --from=build /service/dist ./dist
COPY package.json openapi.yaml schema.graphql ./
COPY prisma ./prisma
# A named volume takes its owner from here. Without a volume the copy for analytics is in the container's own layer.
COPY --from=packages --chown=node:node /analytics /var/lib/analytics
ENV ANALYTICS_DIR=/var/lib/analytics
USER node
EXPOSE 8080 8081
# The probe asks the private listener. /livez never asks the database, so an outage of the database restarts nothing.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPS_PORT || 8081}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "--max-semi-space-size=32", "--v8-pool-size=1", "dist/src/main.js"]
