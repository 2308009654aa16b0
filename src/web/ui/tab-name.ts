/** What the name of the browser's tab is made of, in this order: 'Sessão expira em 1:58 · (3) Administração · Pátio'. */
interface TabName {
  remark: string
  unreadCount: number
  title: string
}

let name: TabName | undefined

/** Changes one part of the tab's name and leaves the others as they are. */
export function nameTab(change: Partial<TabName>): void {
  name = { remark: '', unreadCount: 0, title: document.title, ...name, ...change }
  const { remark, unreadCount, title } = name
  document.title = `${remark && `${remark} · `}${unreadCount > 0 ? `(${unreadCount}) ` : ''}${title}`
}
