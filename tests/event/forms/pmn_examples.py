ONE_WINNER = """[Event "Duplicate MCR"]
[Site "https://mahjongsoft.com/mcrm_replay.php?session=74621&game=2&table=2"]
[Date "2022.06.25"]
[Board "2"]
[PWind "E"]
[East "East player"]
[South "South player"]
[West "West player"]
[North "North player"]
[Deal "c25566d579b2269wr2f c289d246b35w23r111f c11145d258b38wr122f c338d389b466w1124rf"]
[Scoring "Duplicate"]
[Starting "0 0 0 0"]
[Result "-8 -17 33 -8"]
[Penalty "0 0 0 0"]
[Play "T0r3D0z1T1d3D1d6T2d1D2r1Z1r1T1c9D1c2T2d3D2d8T3b3D3w2T0b5D0r2P2r2D2d5T3b7D3w4T0r2D0z1\
T1b4D1w2T2d6D2z1T3b3D3d3T0d2D0z1T1w2D1z1T2b9D2c5T3w1D3c8T0d8D0b9T1d5D1d2T2b1D2c4T3c8D3z1T0w2D0z1T1c9D1c8T2b9D2b8C3b7D3b6T0d7D0c2T1b2D1z1H2"]
[Fan "None None 55/4/1.59/2/1.70/1/1.73/1/1.78/1/1 None"]
"""

TWO_WINNERS = """[Event "Duplicate MCR"]
[Site "https://mahjongsoft.com/mcrm_replay.php?session=74621&game=1&table=3"]
[Date "2022.06.25"]
[Board "1"]
[PWind "E"]
[East "a"]
[South "b"]
[West "c"]
[North "d"]
[Deal "c7d345677b3689w2r1f c79d12558b45w13r23f c11267db4589w334r2f c5668d279b3789w4r3f"]
[Scoring "Duplicate"]
[Starting "0 0 0 0"]
[Result "-32 36 -8 36"]
[Penalty "0 0 0 0"]
[Play "T0r2D0r1T1b6D1w3P2w3D2w4T3b8D3r3T0d6D0r2T1r1D1r2T2r3D2b9T3d1D3w4T0c3D0w2T1c8D1r1T2b1D2z1T3w2D3z1T0w4D0z1T1d8D1r3T2b3D2b8C3b8D3b3\
T0w1D0z1T1w1D1z1T2b1D2z1T3b2D3z1T0b7D0b3T1w2D1z1T2r1D2c2T3c5D3z1T0c5D0c3T1d8D1w1T2d1D2c1T3c4D3c8T0c1D0z1T1d7D1z1T2d8D2c1T3d6D3c6C0c6D0b9\
T1b5D1z1T2c9D2z1T3b6D3z1T0c9D0z1T1w1D1z1T2d4D2d1T3w3D3z1T0c9D0z1T1c6D1z1T2c8D2d8C3d8D3d6C0d5D0d3H1H3"]
[Fan "None 39/1.62/1.76/1.77/1 None 39/1.63/1.70/1.77/1"]
"""

TWO_KONGS = """[Event "Duplicate MCR"]
[Site "https://mahjongsoft.com/mcrm_replay.php?session=74621&game=11&table=2"]
[Date "2022.06.25"]
[Board "11"]
[PWind "W"]
[East "a"]
[South "b"]
[West "c"]
[North "d"]
[Deal "c2346d445679b34w3rf c236d25b66w112334rf c25589d3388899bw1rf c448d7b1225w244r23f"]
[Scoring "Duplicate"]
[Starting "0 0 0 0"]
[Result "-29 -8 45 -8"]
[Penalty "0 0 0 0"]
[Play "T0r2D0z1T1r1D1d2T2b1D2z1T3c9D3w2T0c1D0w3P1w3D1d5T2b5D2w1P1w1D1c6T2d2D2c2T3c6D3b5C0b4D0d9T1b3D1z1T2c3D2c9T3b6D3z1P1b6D1c3T2c1D2c8T3b4\
D3z1T0w2D0z1T1d5D1z1T2c9D2z1T3b7D3z1T0b7D0z1T1b1D1c2T2b9D2c3T3b8D3z1T0d7D0z1T1c7D1z1T2c5D2d2T3b3D3b2T0b2D0z1T1r2D1b1T2b7D2c1T3c8D3z1\
T0w3D0z1T1c3D1z1T2d6D2z1T3d9D3c4T0c4D0c1T1b5D1z1T2c8D2z1T3d4D3z1T0r2D0z1T1w1B1w1T1r3D1r2T2c1D2z1T3d1D3r2T0r1D0z1T1b9D1z1T2r1D2b9T3w2D3z1\
T0c2D0z1T1c6D1z1T2d3D2r1T3b1D3z1T0d1D0z1T1b8D1w2T2d8A2d8T2b8D2b5T3d1D3c9T0b9D0z1H2"]
[Fan "None None 33/1.62/1.67/1.76/1 None"]
"""
