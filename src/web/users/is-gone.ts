import { ApiError } from '#web/http/api.ts'

/** Whether the server refused because the person does not exist any more. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.problem.code === 'not-found'
}
