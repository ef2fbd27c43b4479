octet_embed(bench contenders kContenders)
