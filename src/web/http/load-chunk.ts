import { useEffect, useState } from 'react'

/** A part of the portal's code could not be loaded: offline, or a deployment has replaced it. */
export class ChunkError extends Error {
  constructor(cause: unknown) {
    // The router would otherwise reload by itself on the browser's own message, offline too.
    super('A part of the portal could not be loaded', { cause })
    this.name = 'ChunkError'
  }
}

/** Imports a chunk; what goes wrong there arrives at the error screen as a ChunkError. */
export async function loadChunk<T>(importChunk: () => Promise<T>): Promise<T> {
  try {
    return await importChunk()
  } catch (error) {
    throw new ChunkError(error)
  }
}

const arrived = new Map<unknown, unknown>()

/**
 * What comes behind all else and without which the screen is whole. Not by Suspense, which would hold it back for 300 ms.
 * @param load imports its chunk; the same function each time
 * @returns undefined while it is not wanted, is on its way, or could not be had
 */
export function useOptionalChunk<T>(load: () => Promise<T>, isWanted = true): T | undefined {
  const [, setHasArrived] = useState(false)
  useEffect(() => {
    if (!isWanted || arrived.has(load)) return
    const keep = (chunk: T) => {
      arrived.set(load, chunk)
      setHasArrived(true)
    }
    loadChunk(load).then(keep, () => {})
  }, [load, isWanted])
  return isWanted ? (arrived.get(load) as T | undefined) : undefined
}

/**
 * Reloads the page if the server has a newer build than the one running here. It compares the entry
 * scripts, so it can happen only once for each deployment and never while offline.
 */
export async function reloadIfOutdated(): Promise<void> {
  const running = document.querySelector<HTMLScriptElement>('script[type="module"][src]')
  if (!running) return
  try {
    const response = await fetch('/', { cache: 'no-store', headers: { accept: 'text/html' } })
    const page = await response.text()
    const isPage = response.ok && page.includes('id="root"')
    if (isPage && !page.includes(new URL(running.src).pathname)) window.location.reload()
  } catch {
    // Offline: the error screen's own button is the next step.
  }
}
