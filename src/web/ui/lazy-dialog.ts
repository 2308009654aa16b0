import { type ComponentType, useState } from 'react'
import { loadChunk } from '#web/http/load-chunk.ts'
import { closeToasts, showToast } from './toast.tsx'

export function tellNotOpened(): void {
  showToast({
    kind: 'error',
    title: 'Não foi possível abrir esta janela',
    description: 'Verifique sua internet e tente novamente. Se continuar assim, recarregue a página.',
  })
}

/**
 * What a popup is made of, loaded at the first press of its button. Not by lazy(), which remembers a failure for good.
 * @returns its parts from then on: it is open at first
 */
export function useLazyPopup<T>(load: () => Promise<T>) {
  const [parts, setParts] = useState<T>()
  return { parts, open: () => void loadChunk(load).then((loaded) => setParts(() => loaded), tellNotOpened) }
}

/**
 * A dialog in a chunk of its own, loaded when it is first asked for.
 * @param load imports its component
 * @returns the component while it is open
 */
export function useLazyDialog<P>(load: () => Promise<ComponentType<P>>) {
  const { parts, open } = useLazyPopup(load)
  const [isOpen, setIsOpen] = useState(false)
  return {
    Dialog: isOpen ? parts : undefined,
    open: () => {
      closeToasts()
      setIsOpen(true)
      if (!parts) open()
    },
    close: () => setIsOpen(false),
  }
}
