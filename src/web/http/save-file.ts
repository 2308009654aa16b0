/** Lets the browser save a file under a name. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Some browsers start reading only after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
