/** 'directory' issues the portal's own token, 'power-bi' is the REST API. */
export type UpstreamService = 'directory' | 'power-bi'
export type UpstreamOutcome = 'ok' | 'refused' | 'throttled' | 'failed' | 'timeout' | 'unreachable'

/** Told of each call to an outside service, when its reply begins or it fails. */
export type CountCall = (service: UpstreamService, outcome: UpstreamOutcome, ms: number) => void

/** Makes a call and counts it by how it ends: the status of its reply, or the error that it rejects with. */
export async function counted(
  countCall: CountCall,
  service: UpstreamService,
  call: () => Promise<Response>,
): Promise<Response> {
  const start = performance.now()
  try {
    const reply = await call()
    countCall(service, outcomeOfStatus(reply.status), performance.now() - start)
    return reply
  } catch (error) {
    const outcome = (error as Error).name === 'TimeoutError' ? 'timeout' : 'unreachable'
    countCall(service, outcome, performance.now() - start)
    throw error
  }
}

function outcomeOfStatus(status: number): UpstreamOutcome {
  if (status < 400) return 'ok'
  if (status === 429) return 'throttled'
  return status < 500 ? 'refused' : 'failed'
}
