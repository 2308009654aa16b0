import { PROFILE_SORTS } from '#contract/users.ts'

/** Which of the people are asked for; the seeded ones make some of these many, some few and some none. */
export const FILTERS: Record<string, string[]> = {
  'no filter': [''],
  'a filter': [
    '&approved=true',
    '&approved=false',
    '&verified=true',
    '&verified=false',
    '&type=Vendas',
    '&marca=FIAT',
    '&estado=RJ',
  ],
  'a search': ['&q=helio', '&q=concei%C3%A7%C3%A3o', '&q=an', '&q=z%C3%A9lia+xavier', '&q=301', '&q=nobody'],
}

/** Every column either way. */
export const ORDERS = PROFILE_SORTS.flatMap((sort) =>
  ['asc', 'desc'].map((order) => `sort=${sort}&order=${order}`),
)

interface Page {
  items: { user_id: string }[]
  next: string | null
}

/** A reader of lists in an administrator's name. */
export type Read = <T>(path: string) => Promise<T>

export function createReader(url: string, token: string): Read {
  return async <T>(path: string) => {
    const reply = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return (await reply.json()) as T
  }
}

/** Walks to the middle of all people in an order. @returns the cursor of a page there, which serves any filter */
export async function findMiddle(read: Read, order: string): Promise<string> {
  const { total } = await read<{ total: number }>('/api/profiles/count')
  let cursor = ''
  for (let passed = 0; passed < total / 2; ) {
    const limit = Math.min(1000, Math.ceil(total / 2 - passed))
    const page: Page = await read<Page>(`/api/profiles?${order}&limit=${limit}${cursor}`)
    passed += page.items.length
    cursor = `&cursor=${page.next}`
  }
  return cursor
}
