/** Notes something unexpected that the person need not be told of. */
export function logWarning(message: string, ...details: unknown[]): void {
  // biome-ignore lint/suspicious/noConsole: the console is the browser's log
  console.warn(message, ...details)
}

/** Notes a failure for whoever looks into it later. */
export function logError(message: string, ...details: unknown[]): void {
  // biome-ignore lint/suspicious/noConsole: the console is the browser's log
  console.error(message, ...details)
}
