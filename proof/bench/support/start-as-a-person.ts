import { runProcess } from './run-process.ts'
import { waitUntilAnswers } from './wait-until-answers.ts'

/**
 * `npm start` as a person types it, until the portal is ready; then it is stopped.
 * @returns milliseconds from the start of npm
 */
export async function startAsAPerson(port: number, env: Record<string, string>): Promise<number> {
  // npm hands a signal on only to its direct child, so the whole group is ended.
  const started = runProcess('npm', ['start'], { env: { PORT: String(port), ...env }, isGroup: true })
  try {
    return await waitUntilAnswers(`http://127.0.0.1:${port}/api/health/ready`, started)
  } finally {
    await started.stop()
  }
}
