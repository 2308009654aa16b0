import { type RunningProcess, runProcess } from './run-process.ts'
import { waitUntilAnswers } from './wait-until-answers.ts'

/** Starts the bare server on the portal's own database. @returns the address that answers this user's profile */
export async function startBareNode(
  port: number,
  databaseUrl: string,
  userId: string,
): Promise<RunningProcess & { profileUrl: string }> {
  const env = { DATABASE_URL: databaseUrl, PORT: String(port) }
  const started = runProcess(process.execPath, ['proof/bench/support/serve-bare-node.ts'], { env })
  const profileUrl = `http://127.0.0.1:${port}/${userId}`
  await waitUntilAnswers(profileUrl, started)
  return { ...started, profileUrl }
}
