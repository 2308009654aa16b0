import { useEffect } from 'react'

const UNREAD = /^\(\d+\) /

/** Puts the number of unread messages before the name of the browser's tab, whatever screen it names: '(3) Relatórios · Pátio'. */
export function useUnreadInTitle(count: number): void {
  useEffect(() => {
    const write = () => {
      const title = document.title.replace(UNREAD, '')
      const wanted = count > 0 ? `(${count}) ${title}` : title
      if (document.title !== wanted) document.title = wanted
    }
    write()
    // The screens name the tab themselves, as one gives way to the next.
    const element = document.querySelector('title')
    const observer = new MutationObserver(write)
    if (element) observer.observe(element, { childList: true })
    return () => {
      observer.disconnect()
      document.title = document.title.replace(UNREAD, '')
    }
  }, [count])
}
