/** What the name of the browser's tab is made of, in this order: 'Sessão expira em 1:58 · (3) Vendas · Relatórios · Pátio'. */
interface TabName {
  remark: string
  unreadCount: number
  /** What is shown on the screen of that title. */
  part: string
  title: string
}

let name: TabName | undefined

/** Changes one part of the tab's name and leaves the others as they are. */
export function nameTab(change: Partial<TabName>): void {
  name = { remark: '', unreadCount: 0, part: '', title: document.title, ...name, ...change }
  const { remark, unreadCount, part, title } = name
  const count = unreadCount > 0 ? `(${unreadCount}) ` : ''
  document.title = `${remark && `${remark} · `}${count}${part && `${part} · `}${title}`
}
