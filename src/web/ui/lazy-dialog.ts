import { type ComponentType, useState } from 'react'
import { loadChunk } from '#web/http/load-chunk.ts'
import { closeToasts, showToast } from './toast.tsx'

export function showLoadFailure(): void {
  showToast({
    kind: 'error',
    title: 'Não foi possível abrir esta janela',
    description: 'Verifique sua internet e tente novamente. Se continuar assim, recarregue a página.',
  })
}

/**
 * Loads the parts of a popup at the first press of its button;
 * unlike lazy(), a failed load can be retried.
 * @returns its parts once loaded: it opens at once
 */
export function useLazyPopup<T>(load: () => Promise<T>, onFailed = () => {}) {
  const [parts, setParts] = useState<T>()
  const fail = () => {
    showLoadFailure()
    onFailed()
  }
  return { parts, open: () => void loadChunk(load).then((loaded) => setParts(() => loaded), fail) }
}

/**
 * Loads a dialog's chunk when it is first opened.
 * @param load imports its component
 * @returns the component while it is open
 */
export function useLazyDialog<P>(load: () => Promise<ComponentType<P>>) {
  const [isOpen, setIsOpen] = useState(false)
  const { parts, open } = useLazyPopup(load, () => setIsOpen(false))
  return {
    Dialog: isOpen ? parts : undefined,
    /** Also while it loads. */
    isOpen,
    open: () => {
      closeToasts()
      setIsOpen(true)
      if (!parts) open()
    },
    close: () => setIsOpen(false),
  }
}
