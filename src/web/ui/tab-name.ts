/**
 * The parts of the document title, in order: 'Sessão expira em
 * 1:58 · (3) Vendas · Relatórios · Pátio'.
 */
interface TabName {
  remark: string
  unreadCount: number
  /** The open item of the screen, such as the area. */
  part: string
  title: string
}

let name: TabName | undefined

/** Sets parts of the document title and keeps the others. */
export function nameTab(change: Partial<TabName>): void {
  name = { remark: '', unreadCount: 0, part: '', title: document.title, ...name, ...change }
  const { remark, unreadCount, part, title } = name
  const count = unreadCount > 0 ? `(${unreadCount}) ` : ''
  document.title = `${remark && `${remark} · `}${count}${part && `${part} · `}${title}`
}
