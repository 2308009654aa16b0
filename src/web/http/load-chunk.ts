import { useEffect, useState } from 'react'

/** A chunk could not be loaded: offline, or replaced by a deployment. */
export class ChunkError extends Error {
  constructor(cause: unknown) {
    // The browser's own message would make the router reload by itself, offline too.
    super('A part of the portal could not be loaded', { cause })
    this.name = 'ChunkError'
  }
}

/** Imports a chunk; failures reach the error screen as a ChunkError. */
export async function loadChunk<T>(importChunk: () => Promise<T>): Promise<T> {
  try {
    return await importChunk()
  } catch (error) {
    throw new ChunkError(error)
  }
}

const loadedChunks = new Map<unknown, unknown>()

/**
 * Loads a chunk that the screen can do without. Not by Suspense, which would delay it by 300 ms.
 * @param load imports the chunk; must be the same function on each render
 * @returns undefined while not wanted, loading or after a failure
 */
export function useOptionalChunk<T>(load: () => Promise<T>, isWanted = true): T | undefined {
  const [, setIsLoaded] = useState(false)
  useEffect(() => {
    if (!isWanted || loadedChunks.has(load)) return
    const store = (chunk: T) => {
      loadedChunks.set(load, chunk)
      setIsLoaded(true)
    }
    loadChunk(load).then(store, () => {})
  }, [load, isWanted])
  return isWanted ? (loadedChunks.get(load) as T | undefined) : undefined
}

/**
 * Reloads the page if the server has a newer build. Compares the entry
 * scripts, so that it happens at most once per deployment and never offline.
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
    // Offline: the error screen's own button remains.
  }
}
