import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  completeUrl,
  extractUrl,
  findFrameIssue,
  listReplaced,
  normalizeShareUrl,
  parseReportLink,
} from '#contract/share-url.ts'
import { openSharedReport } from './embed/shared-report.tsx'

const HOSTS = ['app.powerbi.com']
const WORKSPACE = '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f501'
const REPORT = 'a1e90b7d-3c2f-4015-9e0c-5a9162d44f7b'
const SECTION = 'ReportSection6d1a6e72dc5b4459cd31'

const page = fc.constantFrom(
  `/reportEmbed?reportId=${REPORT}`,
  `/%72eportEmbed/?ReportId=${REPORT}&autoAuth=true`,
  `/rdlEmbed?reportId=${REPORT}&groupId=${WORKSPACE}`,
  `/groups/${WORKSPACE}/reports/${REPORT}?experience=power-bi`,
  `/groups/me/reports/${REPORT}/${SECTION}?ctid=1`,
  `/groups/me/apps/${WORKSPACE}/reports/${REPORT}/${SECTION}?ctid=1`,
  `/groups/${WORKSPACE}/orgapps/${WORKSPACE}/report/${REPORT}/${SECTION}?ctid=1`,
  `/sharedwithme/reports/${REPORT}?openReportSource=ReportInvitation`,
  `/Redirect?action=OpenReport&reportObjectId=${REPORT}&groupObjectId=${WORKSPACE}&reportPage=${SECTION}`,
  '/home?noSignUpCheck=1',
  '/view?r=abc',
)
const name = fc.oneof(
  fc.constantFrom('filter', '$filter', 'FILTER', ' $Filter', 'filterPaneEnabled', 'pageName', 'reportPage'),
  fc.constantFrom(
    'bookmarkGuid',
    'rp:Loja',
    'rp:Loja:isnull',
    'ctid',
    'appId',
    'groupId',
    'autoAuth',
    'action',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }),
)
const value = fc.oneof(
  fc.constantFrom(
    '',
    'true',
    'false',
    'Bookmarkeb9e787c137d047a58b9',
    'São  Paulo',
    "Loja/UF eq 'RJ' or Loja/UF eq 'SP'",
  ),
  fc.constantFrom(WORKSPACE, REPORT, SECTION),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const SPELLINGS = [
  (text: string) => encodeURIComponent(text),
  (text: string) => encodeURIComponent(text).replaceAll('%20', '+'),
  // As people type it: only what would end the parameter is encoded.
  (text: string) => text.replace(/[&#%+=<>"\\\p{Cc}]/gu, encodeURIComponent),
]
const pastedLink = fc
  .record({
    page,
    parameters: fc.array(fc.tuple(name, value, fc.nat(SPELLINGS.length - 1)), { maxLength: 5 }),
    separator: fc.constantFrom('&', '&amp;', '&\r\n', '&amp;amp;'),
    wrap: fc.constantFrom(
      (url: string) => url,
      (url: string) => ` \u200b${url}\u202c\n`,
      (url: string) => `<iframe width="600" src="${url.replaceAll('&', '&amp;')}" allowFullScreen></iframe>`,
      (url: string) => url.replace('https://', ''),
      (url: string) => `<${url}>`,
    ),
  })
  .map(({ page, parameters, separator, wrap }) => {
    const typed = parameters.map(([key, text, spelling]) => {
      const spell = SPELLINGS[spelling] as (typeof SPELLINGS)[number]
      return `${spell(key)}=${spell(text)}`
    })
    const own = [...new URL(page, 'https://app.powerbi.com').searchParams]
    return {
      text: wrap([`https://app.powerbi.com${page}`, ...typed, 'end=1'].join(separator)),
      parameters: [...own, ...parameters.map(([key, text]) => [key, text] as const)],
    }
  })

/** Returns the link as the form offers it, and as it is stored. */
function store(pasted: string): string {
  return normalizeShareUrl(completeUrl(pasted, HOSTS) ?? pasted)
}

test('every parameter of a pasted link is stored with its value', () => {
  fc.assert(
    fc.property(pastedLink, ({ text, parameters }) => {
      const stored = [...new URL(store(text)).searchParams]
      for (const parameter of parameters) expect(stored).toContainEqual([...parameter])
    }),
    { numRuns: 500 },
  )
})

test('every parameter is in the repaired link with its value, or named', () => {
  fc.assert(
    fc.property(pastedLink, ({ text, parameters }) => {
      const link = store(text)
      const repaired = findFrameIssue(link)?.repaired
      if (!repaired) return
      expect(findFrameIssue(repaired)).toBeUndefined()
      const values = [...new URL(repaired).searchParams]
      const toName = (key: string) =>
        key.trim().toLowerCase().replace('object', '').replace('reportpage', 'pagename')
      for (const [key, text] of parameters) {
        const isKept = values.some(([name, value]) => toName(name) === toName(key) && value === text)
        expect(isKept || listReplaced(link).includes(key), key).toBe(true)
      }
    }),
    { numRuns: 500 },
  )
})

test('every parameter is taken by Service Principal mode, or named', () => {
  fc.assert(
    fc.property(pastedLink, ({ text, parameters }) => {
      const report = parseReportLink(store(text), HOSTS)
      if (!report) return
      const taken = [report.reportId, report.workspaceId, report.pageName, report.bookmarkName]
      for (const [key, text] of parameters)
        expect(
          report.unused.includes(key) ||
            taken.includes(text.trim().toLowerCase()) ||
            taken.includes(text.trim()),
          key,
        ).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('a frame of a report has the filter of marcas and no other', () => {
  const rules = { hosts: HOSTS, origin: 'https://portal.example', demoBase: undefined }
  fc.assert(
    fc.property(pastedLink, ({ text }) => {
      const link = store(text)
      for (const each of [link, findFrameIssue(link)?.repaired ?? link]) {
        const shown = openSharedReport(each, ['FIAT'], rules)
        if (!shown?.isFramed || !/reportEmbed/i.test(decodeURIComponent(shown.url))) continue
        const filters = [...new URL(shown.url).searchParams].filter(([key]) => /^\s*\$?filter\s*$/i.test(key))
        expect(filters).toEqual([['filter', "Marca/Marca in ('FIAT')"]])
      }
    }),
    { numRuns: 500 },
  )
})

test('what is shown in the field is what is stored', () => {
  fc.assert(
    fc.property(pastedLink, ({ text }) => {
      expect(normalizeShareUrl(extractUrl(store(text)))).toBe(store(text))
    }),
  )
})
