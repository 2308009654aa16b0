import { type ComponentType, useState } from 'react'
import { closeToasts, showToast } from './toast.tsx'

export function tellNotOpened(): void {
  showToast({
    kind: 'error',
    title: 'Não foi possível abrir esta janela',
    description: 'Verifique sua internet e tente novamente. Se continuar assim, recarregue a página.',
  })
}

/**
 * A dialog in a chunk of its own, loaded when it is first asked for. Not by lazy(), which remembers a failure for good.
 * @param load imports its component
 * @returns the component while it is open
 */
export function useLazyDialog<P>(load: () => Promise<ComponentType<P>>) {
  const [Loaded, setLoaded] = useState<ComponentType<P>>()
  const [isOpen, setIsOpen] = useState(false)
  const open = async () => {
    closeToasts()
    try {
      const component = Loaded ?? (await load())
      setLoaded(() => component)
      setIsOpen(true)
    } catch {
      tellNotOpened()
    }
  }
  return { Dialog: isOpen ? Loaded : undefined, open: () => void open(), close: () => setIsOpen(false) }
}
