// The peer: @supabase/lite embedded as its documentation shows, in front of the PostgreSQL of DATABASE_URL.

import { serve } from '@hono/node-server'
import { App, SUPABASE_AUTH_HELPERS_SQL } from '@supabase/lite'
import { createPostgresConnection } from '@supabase/lite/postgres'

const connection = createPostgresConnection({ url: process.env.DATABASE_URL })
const app = new App({
  connection,
  auth: { enabled: true, jwt_secret: process.env.JWT_SECRET, email: { enable_confirmations: false } },
  // API keys are one more check on each request, and no part of what is compared.
  options: { server: { apiKeys: false } },
})
await app.ensureSystemSchema()
// On a PostgreSQL server lite leaves the schema to others; these are its own functions auth.uid() and so on.
for (const sql of [SUPABASE_AUTH_HELPERS_SQL, process.env.SCHEMA]) await connection.driver.unsafe(sql)
const server = serve({
  fetch: (request, env) => app.fetch(request, { peerAddress: env.incoming.socket.remoteAddress ?? null }),
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
})
process.once('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
  connection.close().finally(() => process.exit(0))
})
