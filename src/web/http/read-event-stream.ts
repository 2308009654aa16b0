import { readFailure } from './api-error.ts'

/**
 * Opens a stream of server-sent events with fetch, so that the access token goes in a header and never in a URL.
 * @throws ApiError when it is refused, TypeError without a network, the signal's reason when aborted
 */
export async function openEventStream(
  path: string,
  accessToken: string | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${accessToken}` }
  const response = await fetch(path, { headers, signal, cache: 'no-store' })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  // Anything else comes from something in between, a hotel's sign-in page say.
  if (!response.ok || !isStream || !response.body) throw await readFailure(response)
  return response.body
}

/**
 * Reads a stream of events until it ends (WHATWG HTML, 9.2.6; ids, names and retry are not looked at).
 * @param onData called with the data of each event
 * @param onBytes called whenever anything has arrived, the server's heartbeat too
 */
export async function readEvents(
  stream: ReadableStream<Uint8Array>,
  onData: (data: string) => void,
  onBytes: () => void,
): Promise<void> {
  const reader = stream.pipeThrough(textDecoder()).getReader()
  const parse = createEventParser(onData)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    parse(value)
  }
}

/** Puts events together from pieces of text that may end anywhere. */
export function createEventParser(onData: (data: string) => void): (piece: string) => void {
  let rest = ''
  let data: string[] = []
  const takeLine = (line: string) => {
    if (line === '') {
      if (data.length > 0) onData(data.join('\n'))
      data = []
    } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
  }
  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?=[\s\S])/)
    rest = lines.pop() ?? ''
    for (const line of lines) takeLine(line)
  }
}

/** The library of types wants wider chunks of a decoder than a reply's body has. */
function textDecoder(): ReadableWritablePair<string, Uint8Array> {
  return new TextDecoderStream() as ReadableWritablePair<string, never>
}
