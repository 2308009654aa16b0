import { ApiError } from '#web/http/api.ts'

/** Whether the server refused because something has changed meanwhile. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.problem.code === 'conflict'
}
