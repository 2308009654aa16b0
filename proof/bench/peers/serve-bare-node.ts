// The floor: node:http and one prepared statement, without check of any kind. GET /<user_id> answers that profile.
import { createServer } from 'node:http'
import pg from 'pg'

const READ_PROFILE = {
  name: 'read-profile',
  text: `select ${process.env.COLUMNS} from profiles where user_id = $1`,
}
// As many connections as the portal and the peer have.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })

const server = createServer(async (request, reply) => {
  const { rows } = await pool.query({ ...READ_PROFILE, values: [request.url?.slice(1)] })
  const body = JSON.stringify(rows[0])
  reply.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  reply.end(body)
})
server.listen(Number(process.env.PORT), '127.0.0.1')

process.once('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
  void pool.end().finally(() => process.exit(0))
})
