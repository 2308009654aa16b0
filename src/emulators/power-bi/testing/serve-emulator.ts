import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPowerBiEmulator, type PowerBiEmulatorOptions } from '#emulators/power-bi/emulator.ts'

async function readRequest(message: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headers)) headers.set(name, String(value))
  const { method = 'GET' } = message
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const url = `http://${message.headers.host}${message.url}`
  return new Request(url, { method, headers, body: hasBody ? Buffer.concat(chunks) : null })
}

async function send(response: Response, to: ServerResponse): Promise<void> {
  to.writeHead(response.status, Object.fromEntries(response.headers))
  to.end(Buffer.from(await response.arrayBuffer()))
}

/** Serves an emulator on a loopback port, a free one by default; `at` is its base URL. */
export async function serveEmulator(options: PowerBiEmulatorOptions, port = 0) {
  const emulator = createPowerBiEmulator(options)
  const server = createServer(async (message, to) => {
    try {
      await send(await emulator.handle(await readRequest(message)), to)
    } catch (error) {
      to.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/demo/power-bi`
  return { at, close: () => new Promise<void>((closed) => server.close(() => closed())) }
}
