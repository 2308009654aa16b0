import { expect, test } from 'vitest'
import { composeVerificationMail } from './compose-verification-mail.ts'

test('a group name from the configuration stays text in the HTML', () => {
  const { html, text, subject } = composeVerificationMail({
    publicUrl: 'https://portal.example',
    groupName: `Silva & Filhos <img src=x onerror="alert('1')">`,
    token: 'abc',
  })
  expect(html).not.toContain('<img')
  expect(html).toContain('Silva &amp; Filhos &lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;')
  expect(text).toContain('Silva & Filhos <img')
  expect(subject).toContain('Silva & Filhos')
})
