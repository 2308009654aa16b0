import { useCallback, useEffect, useRef, useState } from 'react'
import { takeLinkHash } from './link-hash.ts'
import { closeRecovery, openRecovery, type Recovery } from './recovery-session.ts'

export type RecoveryState =
  | { kind: 'opening' }
  | { kind: 'open'; recovery: Recovery }
  /** No link, or one that was used, has expired or was overtaken by a newer one. */
  | { kind: 'ended' }
  | { kind: 'failed'; message: string }

/** The reset link that this screen was opened with. */
export function useRecovery() {
  const [state, setState] = useState<RecoveryState>({ kind: 'opening' })
  const hash = useRef<string>(undefined)

  const open = useCallback(async () => {
    hash.current ??= takeLinkHash()
    setState({ kind: 'opening' })
    try {
      const recovery = await openRecovery(hash.current)
      setState(recovery ? { kind: 'open', recovery } : { kind: 'ended' })
    } catch (error) {
      setState({ kind: 'failed', message: error instanceof Error ? error.message : '' })
    }
  }, [])
  useEffect(() => {
    void open()
  }, [open])

  const end = () => {
    closeRecovery()
    setState({ kind: 'ended' })
  }
  return { state, retry: open, end }
}
